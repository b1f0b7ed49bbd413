import type { PostSummary } from '@pennypost/contract/discovery'
import type { Offer } from '@pennypost/contract/posts'
import { plural } from '../format.ts'
import type { Children } from '../jsx/markup.ts'
import { postPath } from '../paths.ts'
import { signInPath } from '../redirect-to-sign-in.ts'
import { withUsd } from './price.tsx'

/** The contents of the paid part. */
export interface PaidContents {
  readonly words: number
  readonly images: number
  readonly files: number
  /** The ids of its footnotes that the free part refers to. Until they are there, their references lead to the paywall. */
  readonly noteIds: readonly string[]
}

/** The data of a paywall that the server passes to its script. */
export interface PaywallContent {
  readonly post: Pick<PostSummary, 'id' | 'accessUrl'> & { readonly usd: string | null }
  readonly offers: readonly Pick<Offer, 'asset' | 'network' | 'amount' | 'status' | 'reason'>[]
  readonly contents: PaidContents
}

interface PaywallProps extends PaywallContent {
  readonly onPay?: (asset: Offer['asset']) => unknown
  readonly onRecover?: () => unknown
  /** The open checkout, which takes the place of the ways to pay. */
  readonly children?: Children
}

const rails: Readonly<Record<Offer['asset'], { readonly name: string; readonly hint: string; readonly act: string }>> =
  {
    XNO: { name: 'Nano', hint: 'Any Nano wallet. Instant, no fees, no account.', act: 'Pay with Nano' },
    USDC: { name: 'USDC on Base', hint: 'A wallet on Base. We cover the network fee.', act: 'Pay with USDC' },
  }

const isReady = ({ status }: Pick<Offer, 'status'>): boolean => status === 'ready'

/** The content of a paywall. The author's own price comes first, what is not available last. */
export function paywallContent(
  { id, accessUrl, effectivePrice, paymentOffers }: PostSummary,
  contents: PaidContents,
): PaywallContent {
  const rank = (offer: Offer) => (isReady(offer) ? (offer.derived === null ? 0 : 1) : 2)
  return {
    post: { id, accessUrl, usd: effectivePrice.usd },
    offers: [...paymentOffers]
      .sort((a, b) => rank(a) - rank(b))
      .map(({ asset, network, amount, status, reason }) => ({ asset, network, amount, status, reason })),
    contents,
  }
}

/** The paywall at the end of the free part. Without JavaScript it shows the prices. */
export const Paywall = ({ post, offers, contents, onPay, onRecover, children }: PaywallProps) => (
  <section class="paywall" lang="en" aria-labelledby="paywall-title">
    {contents.noteIds.map((id) => (
      <span key={id} id={id} />
    ))}
    <h2 id="paywall-title">Keep reading</h2>
    <p>{contentsText(contents)} Pay once, keep it forever.</p>
    {children || (
      <>
        <ul class="rails">
          {offers.map((offer) => (
            <li class={isReady(offer) ? 'rail' : 'rail off'} key={offer.asset}>
              <OfferText offer={offer} usd={post.usd} onPay={onPay} />
            </li>
          ))}
        </ul>
        <p class="again">
          <a href={signInPath(postPath(post.id), 'read')} onClick={onRecover && preventing(onRecover)}>
            Already bought this?
          </a>
        </p>
        <details>
          <summary>For developers and agents</summary>
          <p>
            Pay and read at <code>{post.accessUrl}</code> (x402
            {offers.filter(isReady).map(({ network }) => (
              <>
                , <code>{network}</code>
              </>
            ))}
            ).
          </p>
        </details>
      </>
    )}
  </section>
)

const preventing = (act: () => unknown) => (event: Event) => {
  event.preventDefault()
  act()
}

/** @example contentsText({ words: 900, images: 2, files: 1 }) // '900 more words, 2 images, 1 file.' */
function contentsText({ words, images, files }: PaidContents): string {
  const parts = [
    words > 0 && `${words} more ${words === 1 ? 'word' : 'words'}`,
    images > 0 && plural(images, 'image'),
    files > 0 && plural(files, 'file'),
  ].filter((part) => part !== false)
  return parts.length === 0 ? '' : `${parts.join(', ')}.`
}

interface OfferTextProps {
  readonly offer: PaywallContent['offers'][number]
  readonly usd: string | null
  readonly onPay: PaywallProps['onPay']
}

function OfferText({ offer: { asset, amount, status, reason }, usd, onPay }: OfferTextProps) {
  const { name, hint, act } = rails[asset]
  if (status !== 'ready')
    return (
      <>
        <b>{name}</b> <span class="quiet">Not available. {reason}</span>
      </>
    )
  return (
    <>
      <b>{name}</b> <span class="amount">{asset === 'XNO' ? withUsd(usd, `${amount} XNO`) : `${amount} ${asset}`}</span>{' '}
      <span class="hint">{hint}</span>{' '}
      <button type="button" class="with-script" disabled={!onPay} onClick={onPay && (() => onPay(asset))}>
        {act}
      </button>
    </>
  )
}

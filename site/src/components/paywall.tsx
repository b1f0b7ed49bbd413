import type { PostSummary } from '@pennypost/contract/discovery'
import type { Offer } from '@pennypost/contract/posts'
import { postPath } from '../paths.ts'

const rails: Readonly<Record<Offer['asset'], { readonly name: string; readonly hint: string; readonly act: string }>> =
  {
    XNO: { name: 'Nano', hint: 'From any Nano wallet. A second or two, without a fee.', act: 'Pay with Nano' },
    USDC: { name: 'USDC on Base', hint: 'From a wallet in your browser. You pay no gas.', act: 'Pay with USDC' },
  }

const isReady = ({ status }: Offer): boolean => status === 'ready'

interface PaywallProps {
  readonly post: Pick<PostSummary, 'id' | 'paymentOffers' | 'accessUrl' | 'attachments'>
}

/**
 * The paywall at the end of the free part. Each way to pay has its own element (`data-rail`) with a button that the script
 * activates. Without JavaScript it shows the prices.
 */
export function Paywall({ post: { id, paymentOffers, accessUrl, attachments } }: PaywallProps) {
  // The author's own price first, then the converted one, then what is unavailable.
  const rank = (offer: Offer) => (isReady(offer) ? (offer.derived === null ? 0 : 1) : 2)
  const offers = [...paymentOffers].sort((a, b) => rank(a) - rank(b))
  return (
    <section class="paywall" lang="en" aria-labelledby="paywall-title" data-paywall="">
      <h2 id="paywall-title">The rest is for sale</h2>
      <p>
        One payment, and it is yours to read for good{attachments.length > 0 && ', with its files'}. No subscription.
      </p>
      <ul class="rails" data-rails="">
        {offers.map((offer) => (
          <li class={isReady(offer) ? 'rail' : 'rail off'} data-rail={offer.asset} key={offer.asset}>
            <OfferText offer={offer} />
          </li>
        ))}
      </ul>
      <p class="again">
        <a href={`/sign-in?next=${postPath(id)}`} data-again="">
          Bought it already?
        </a>
      </p>
      <details>
        <summary>For programs</summary>
        <p>
          Pay and read at <code>{accessUrl}</code> (x402
          {offers.filter(isReady).map(({ network }) => (
            <>
              , <code>{network}</code>
            </>
          ))}
          ).
        </p>
      </details>
    </section>
  )
}

function OfferText({ offer: { asset, amount, status, reason } }: { readonly offer: Offer }) {
  const { name, hint, act } = rails[asset]
  if (status !== 'ready')
    return (
      <>
        <b>{name}</b> <span class="quiet">Not now. {reason}</span>
      </>
    )
  return (
    <>
      <b>{name}</b>{' '}
      <span class="amount">
        {amount} {asset}
      </span>{' '}
      <span class="hint">{hint}</span>{' '}
      <button type="button" class="with-script" data-pay="" disabled>
        {act}
      </button>
    </>
  )
}

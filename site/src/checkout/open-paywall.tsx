import { getAccess, type PostAccess } from '@pennypost/contract/access'
import { listLibrary } from '@pennypost/contract/library'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Paywall, type PaywallContent } from '../components/paywall.tsx'
import { errorMessage } from '../error-message.ts'
import { findElement } from '../get-element.ts'
import type { Markup } from '../jsx/markup.ts'
import { render } from '../jsx/render.ts'
import { propsOf } from '../props-of.ts'
import { type Account, fetchSession } from '../session.ts'
import { showToast } from '../show-toast.ts'
import type { CheckoutPanelProps, PostForSale } from './checkout-panel.ts'
import { guestPurchases, pendingPurchases, takeBuyIntent } from './purchase-storage.ts'

type Panel = (props: CheckoutPanelProps) => Markup

/** The code for paying and for what was bought is loaded when it is needed. */
const panels = {
  XNO: async (): Promise<Panel> => (await import('./nano-checkout.tsx')).NanoCheckout,
  USDC: async (): Promise<Panel> => (await import('./usdc-checkout.tsx')).UsdcCheckout,
  recovery: async (): Promise<Panel> => (await import('./purchase-recovery.tsx')).PurchaseRecovery,
}
type PanelName = keyof typeof panels

/** Makes the paywall work, or shows the text in its place to its author and its buyers. */
export async function openPaywall(sold: Omit<PostForSale, 'usd'>, viewer: Account | null): Promise<void> {
  const place = findElement('[data-paywall]')
  if (!place) return
  const content = propsOf<PaywallContent>(place)
  const post = { ...sold, usd: content.post.usd }
  // If this cannot be found out, show the price: nobody is charged for a post they own.
  const isShown = await showIfBought(post, viewer).catch(() => false)
  if (!isShown) {
    const name = firstPanel(post.id, viewer)
    const first = name && (await panels[name]())
    render(<LivePaywall content={content} post={post} viewer={viewer} first={first} />, place)
  }
  place.dataset.known = ''
}

interface LivePaywallProps {
  readonly content: PaywallContent
  readonly post: PostForSale
  readonly viewer: Account | null
  readonly first: Panel | undefined
}

function LivePaywall({ content, post, viewer, first }: LivePaywallProps) {
  const [Open, setOpen] = useState<Panel | undefined>(() => first)
  const checkout = useRef<HTMLDivElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    // The button that had the focus is gone.
    if (!isFirst.current) focusOn(checkout.current ?? findElement('.rails button'))
    isFirst.current = false
  }, [Open])
  const open = async (name: PanelName) => {
    try {
      const panel = await panels[name]()
      setOpen(() => panel)
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  const bought = async (message: string) => {
    // The payment may have taken longer than an access token is valid.
    const { account } = await fetchSession()
    if (await loadFullText(post.id, account, message)) showToast('Paid. Enjoy the full post.')
    else await open('recovery')
  }
  return (
    <Paywall {...content} onPay={open} onRecover={() => open('recovery')}>
      {Open && (
        <div class="checkout" tabIndex={-1} ref={checkout}>
          <Open
            post={post}
            viewer={viewer}
            onBought={bought}
            onRead={(access) => showText(access, viewer, '')}
            onClose={() => setOpen(undefined)}
          />
        </div>
      )}
    </Paywall>
  )
}

function focusOn(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'nearest' })
}

/** The panel that was open when the reader left this page, so that nobody pays twice. */
function firstPanel(postId: string, viewer: Account | null): PanelName | undefined {
  const { XNO, USDC } = pendingPurchases(postId)
  if (USDC) return 'USDC'
  if (takeBuyIntent(postId) || (XNO?.isOpen && XNO.account === (viewer?.id ?? null))) return 'XNO'
  return guestPurchases().some((purchase) => purchase.postId === postId) ? 'recovery' : undefined
}

/** Shows the text to its author and its buyers, also if the payment arrived while this page was closed. */
async function showIfBought(post: PostForSale, viewer: Account | null): Promise<boolean> {
  if (viewer && (await isOwned(post, viewer))) return loadFullText(post.id, viewer)
  if (!pendingPurchases(post.id).XNO) return false
  const { finishPaidPurchase } = await import('./nano-checkout.tsx')
  if (!(await finishPaidPurchase(post))) return false
  return loadFullText(post.id, (await fetchSession()).account)
}

const isOwned = async ({ id, authorId }: PostForSale, viewer: Account): Promise<boolean> =>
  viewer.id === authorId || (await callApi(listLibrary, { query: { post_id: id, per_page: '1' } })).total > 0

/** Shows the paid part in place of the paywall. Returns false if the reader has no access. */
async function loadFullText(postId: string, viewer: Account | null, message?: string): Promise<boolean> {
  const reply = await callApi(getAccess, { params: { postId } })
  if (!('access' in reply)) return false
  await showText(reply, viewer, message)
  return true
}

async function showText(access: PostAccess, viewer: Account | null, message?: string): Promise<void> {
  const { showFullText } = await import('./full-text.tsx')
  showFullText({ access, viewer, message })
}

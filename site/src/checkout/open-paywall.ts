import { listLibrary } from '@pennypost/contract/library'
import { callApi } from '../call-api.ts'
import { findElement, getElement, h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { type Account, fetchSession } from '../session.ts'
import { showToast } from '../show-toast.ts'
import type { CheckoutPanel, PostForSale } from './checkout-panel.ts'
import { loadFullText } from './full-text.ts'
import { pendingPurchases, saveBuyIntent, takeBuyIntent } from './purchase-storage.ts'

/**
 * Makes the paywall work, or shows the text in its place to its author and its buyers. The code for paying is loaded when
 * the reader wants to pay.
 */
export async function openPaywall(post: PostForSale, viewer: Account | null): Promise<void> {
  const paywall = findElement('[data-paywall]')
  if (!paywall) return
  // If this cannot be found out, show the price: nobody is charged for a post they own.
  const isOwned = viewer !== null && (await showIfOwned(post, viewer).catch(() => false))
  paywall.dataset.known = ''
  if (isOwned) return
  const open = async (start: (panel: CheckoutPanel) => Promise<unknown>) => {
    findElement('[data-checkout]', paywall)?.remove()
    const place = h('div', { class: 'checkout', 'data-checkout': true })
    const choice = [...paywall.querySelectorAll<HTMLElement>('[data-rails], .again, details')]
    const choose = (isChoosing: boolean) => {
      for (const each of choice) each.hidden = !isChoosing
    }
    const leave = () => {
      place.remove()
      choose(true)
    }
    choose(false)
    getElement('[data-rails]', paywall).after(place)
    const bought = async (words = '') => {
      // The payment may have taken longer than an access token is valid.
      await fetchSession()
      await loadFullText(post.id, words)
      showToast('Paid. The whole text is here.')
    }
    try {
      await start({ post, viewer, place, bought, leave })
    } catch (error) {
      leave()
      showToast(errorMessage(error))
    }
  }
  const ways = {
    XNO: () => open(async (panel) => (await import('./buy-with-nano.ts')).buyWithNano(panel)),
    USDC: () => open(async (panel) => (await import('./buy-with-usdc.ts')).buyWithUsdc(panel)),
  } as const
  for (const rail of paywall.querySelectorAll<HTMLElement>('[data-rail]')) {
    const button = findElement<HTMLButtonElement>('[data-pay]', rail)
    if (!button) continue
    button.disabled = false
    button.addEventListener('click', () => {
      // A purchase with Nano needs an account: through it, money that arrives late is credited or refunded.
      if (rail.dataset.rail === 'USDC') return ways.USDC()
      if (viewer) return ways.XNO()
      saveBuyIntent(post.id)
      redirectToSignIn()
    })
  }
  getElement('[data-again]', paywall).addEventListener('click', (event) => {
    event.preventDefault()
    open(async (panel) => (await import('./show-purchase-recovery.ts')).showPurchaseRecovery(panel))
  })

  // Resume a purchase that was started here before.
  const { XNO, USDC } = pendingPurchases(post.id)
  if (USDC) await ways.USDC()
  else if (viewer && (takeBuyIntent(post.id) || XNO?.account === viewer.id)) await ways.XNO()
}

/** Shows the text to its author and its buyers. */
async function showIfOwned({ id, authorId }: PostForSale, viewer: Account): Promise<boolean> {
  const isAuthor = viewer.id === authorId
  const isOwner = isAuthor || (await callApi(listLibrary, { query: { post_id: id, per_page: '1' } })).total > 0
  return isOwner && loadFullText(id)
}

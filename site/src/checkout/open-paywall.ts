import { listLibrary } from '@pennypost/contract/library'
import { callApi } from '../call-api.ts'
import { findElement, getElement, h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { type Account, fetchSession } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { loadFullText } from './full-text.ts'
import { pendingPurchases, saveBuyIntent, takeBuyIntent } from './purchase-storage.ts'

export interface PostForSale {
  readonly id: string
  readonly authorId: string
  readonly title: string
}

/** A way to buy, while it is open. It has the paywall to itself. */
export interface CheckoutPanel {
  readonly post: PostForSale
  readonly viewer: Account | null
  readonly place: HTMLElement
  /** It is theirs: the text takes the place of all this, with what else is to be said. */
  bought(words?: string): Promise<void>
  /** Back to the choice. */
  leave(): void
}

/**
 * Makes the paywall work, or puts the text in its place for whoever has it. What paying takes is loaded when somebody
 * wants to pay.
 */
export async function openPaywall(post: PostForSale, viewer: Account | null): Promise<void> {
  const paywall = findElement('[data-paywall]')
  if (!paywall) return
  // Where that cannot be found out, the price is shown; nobody is charged for what they have.
  const isRead = viewer !== null && (await showIfOwned(post, viewer).catch(() => false))
  paywall.dataset.known = ''
  if (isRead) return
  const open = async (take: (panel: CheckoutPanel) => Promise<unknown>) => {
    findElement('[data-till]', paywall)?.remove()
    const place = h('div', { class: 'till', 'data-till': true })
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
      // Waiting for money may take longer than an access token lives.
      await fetchSession()
      await loadFullText(post.id, words)
      showToast('Paid. The whole text is here.')
    }
    try {
      await take({ post, viewer, place, bought, leave })
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
      // A purchase with Nano is kept in an account, and money that comes late finds its way back by it.
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

  // What was begun here before is taken up again.
  const { XNO, USDC } = pendingPurchases(post.id)
  if (USDC) await ways.USDC()
  else if (viewer && (takeBuyIntent(post.id) || XNO?.account === viewer.id)) await ways.XNO()
}

/** Puts the text there for its author and for whoever bought it. */
async function showIfOwned({ id, authorId }: PostForSale, viewer: Account): Promise<boolean> {
  const isOwn = viewer.id === authorId
  const isTheirs = isOwn || (await callApi(listLibrary, { query: { post_id: id, per_page: '1' } })).total > 0
  return isTheirs && loadFullText(id)
}

import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { ask, askWith, newKey, RefusedError, wordsOf } from '../api.ts'
import { type Child, h } from '../dom.ts'
import { button } from '../form.ts'
import { keepSession } from '../session.ts'
import { walletWords } from '../wallet/browser-wallet.ts'
import { chooseWallet } from '../wallet/choose-wallet.ts'
import { signPayment } from '../wallet/usdc-payment.ts'
import { buyingOf, forgetBuying, keepBuying, keepGuestPurchase, type UsdcBuying } from './kept.ts'
import type { Till } from './paywall.ts'
import { reasonWords } from './reason-words.ts'

// Buying with USDC from a wallet in the browser. What was signed is written down before it is sent, and sent until
// somebody knows how it ended: nobody is asked to sign twice for one purchase.

/** A payment that came to nothing. Nobody was charged. */
class NotPaid extends Error {}

export async function buyWithUsdc(till: Till): Promise<void> {
  const status = h('p', { class: 'pay-status', role: 'status', 'aria-live': 'polite' })
  const body = h('div', { class: 'pay-body' })
  const foot = h('div', { class: 'row' })
  till.place.replaceChildren(h('section', { class: 'pay', 'aria-label': 'Payment with USDC' }, body, status, foot))
  const tell = (words: string, ...more: readonly Child[]) => {
    status.textContent = words
    foot.replaceChildren(...(more.filter(Boolean) as Node[]))
  }
  const back = () => button('Not now', till.leave, 'text-button')
  const attempt = async (): Promise<void> => {
    try {
      const begun = buyingOf(till.post.id).USDC ?? (await begin(till, body, tell, back))
      body.replaceChildren(h('h3', {}, 'Paying'))
      await settle(till, begun, tell)
    } catch (error) {
      const words = error instanceof NotPaid ? error.message : (walletWords(error) ?? wordsOf(error))
      body.replaceChildren()
      tell(words, button('Try again', attempt, 'small'), back())
    }
  }
  await attempt()
}

type Tell = (words: string, ...more: readonly Child[]) => void

/** Wallet, quote, signature. Nothing moves before the last of them. */
async function begin(till: Till, body: HTMLElement, tell: Tell, back: () => HTMLElement): Promise<UsdcBuying> {
  const { post } = till
  tell('', back())
  const wallet = await chooseWallet(body)
  body.replaceChildren(h('h3', {}, wallet.name))
  tell('Let this page see your account, in the wallet.', back())
  const address = await wallet.connect()
  stillWanted(till)
  tell('Change to Base, in the wallet.', back())
  await wallet.useBase()
  stillWanted(till)
  tell('One moment…')
  const { checkout, paymentRequired, checkoutCredential } = await ask(createCheckout, {
    idempotencyKey: newKey(),
    body: { postId: post.id, asset: 'USDC' },
  })
  const { amount, payTo } = checkout.quote
  body.replaceChildren(
    h('h3', {}, `Sign for ${amount} USDC`),
    h(
      'dl',
      { class: 'pay-facts' },
      ...[h('dt', {}, 'From'), h('dd', {}, h('code', {}, address))],
      ...[h('dt', {}, 'To the author'), h('dd', {}, h('code', {}, payTo))],
      ...[h('dt', {}, 'Gas'), h('dd', {}, 'none: the service pays for it')],
    ),
  )
  tell('Sign in the wallet. Nothing moves before that, and no more than this.', back())
  const payment = await signPayment(wallet, address, paymentRequired.accepts[0]!, checkout)
  // Only guests with short keys are not told it, and ours is long.
  const begun = { checkoutId: checkout.id, credential: checkoutCredential!, payment }
  keepBuying(post.id, { USDC: begun })
  return begun
}

/** Whoever left meanwhile is asked for nothing more. */
function stillWanted({ place }: Till): void {
  if (!place.isConnected) throw new NotPaid('')
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const patienceSeconds = 3

/** Hands in what was signed, again and again while nobody knows. */
async function settle(till: Till, begun: UsdcBuying, tell: Tell): Promise<void> {
  const { post } = till
  tell('Your payment is on its way.')
  for (;;) {
    try {
      const paid = await handIn(begun)
      if (paid.session) {
        // A guest becomes an account without a login: the cookie opens it now, the credential later.
        keepGuestPurchase({ ...begun, postId: post.id, title: post.title })
        await keepSession(paid.session)
      }
      forgetBuying(post.id)
      return await till.bought()
    } catch (error) {
      if (error instanceof NotPaid) {
        forgetBuying(post.id, 'USDC')
        throw error
      }
      const known = error instanceof RefusedError ? error : undefined
      if (known?.code === 'already-purchased') {
        forgetBuying(post.id)
        if (till.viewer) return await till.bought()
        throw new NotPaid('This wallet has bought it already, and was not charged. Read it as that wallet instead.')
      }
      const isOver = known && known.status < 500 && known.status !== 429 && known.code !== 'usdc-settlement-pending'
      if (isOver) {
        forgetBuying(post.id, 'USDC')
        throw error
      }
      tell(
        known?.code === 'usdc-settlement-pending'
          ? 'Your payment is under way; the chain has not confirmed it yet. There is nothing more to do or to sign, and you may close this page.'
          : 'The service cannot be reached. Your signature is kept, and is sent again by itself.',
      )
      await wait(known?.retryAfterSeconds ?? patienceSeconds)
    }
  }
}

async function handIn({ checkoutId, credential, payment }: UsdcBuying) {
  const headers = { 'payment-signature': payment }
  const reply = await askWith(credential, settleCheckout, { params: { checkoutId }, headers })
  if (!('checkout' in reply)) throw new NotPaid(reasonWords(reply.error))
  return reply
}

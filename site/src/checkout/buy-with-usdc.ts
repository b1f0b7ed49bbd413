import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi, callApiWithToken } from '../call-api.ts'
import { type Child, h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { button } from '../form.ts'
import { randomUuid } from '../random-uuid.ts'
import { startSession } from '../session.ts'
import { walletErrorMessage } from '../wallet/browser-wallet.ts'
import { chooseWallet } from '../wallet/choose-wallet.ts'
import { signUsdcPayment } from '../wallet/sign-usdc-payment.ts'
import type { CheckoutPanel } from './checkout-panel.ts'
import { paymentErrorMessage } from './payment-error-message.ts'
import {
  type PendingUsdcPurchase,
  pendingPurchases,
  removePendingPurchase,
  saveGuestPurchase,
  savePendingPurchase,
} from './purchase-storage.ts'

// Buying with USDC from a wallet in the browser. The signed payment is stored before it is sent, and sent again until its
// outcome is known, so nobody signs twice for one purchase.

/** The payment failed for good, and nothing was charged. */
class NotPaid extends Error {}

export async function buyWithUsdc(panel: CheckoutPanel): Promise<void> {
  const status = h('p', { class: 'pay-status', role: 'status', 'aria-live': 'polite' })
  const body = h('div', { class: 'pay-body' })
  const foot = h('div', { class: 'row' })
  panel.place.replaceChildren(h('section', { class: 'pay', 'aria-label': 'Payment with USDC' }, body, status, foot))
  const showStatus = (words: string, ...more: readonly Child[]) => {
    status.textContent = words
    foot.replaceChildren(...(more.filter(Boolean) as Node[]))
  }
  const back = () => button('Not now', panel.leave, 'text-button')
  const attempt = async (): Promise<void> => {
    try {
      const pending = pendingPurchases(panel.post.id).USDC ?? (await signNewPayment(panel, body, showStatus, back))
      body.replaceChildren(h('h3', {}, 'Paying'))
      await submitUntilFinal(panel, pending, showStatus)
    } catch (error) {
      const words = error instanceof NotPaid ? error.message : (walletErrorMessage(error) ?? errorMessage(error))
      body.replaceChildren()
      showStatus(words, button('Try again', attempt, 'small'), back())
    }
  }
  await attempt()
}

type ShowStatus = (words: string, ...more: readonly Child[]) => void

/** Connects the wallet, creates the checkout and signs. No money moves before the signature. */
async function signNewPayment(
  panel: CheckoutPanel,
  body: HTMLElement,
  showStatus: ShowStatus,
  back: () => HTMLElement,
): Promise<PendingUsdcPurchase> {
  const { post } = panel
  showStatus('', back())
  const wallet = await chooseWallet(body)
  body.replaceChildren(h('h3', {}, wallet.name))
  showStatus('Let this page see your account, in the wallet.', back())
  const address = await wallet.connect()
  requireOpen(panel)
  showStatus('Change to Base, in the wallet.', back())
  await wallet.useBase()
  requireOpen(panel)
  showStatus('One moment…')
  const started = await callApi(createCheckout, {
    idempotencyKey: randomUuid(),
    body: { postId: post.id, asset: 'USDC' },
  })
  if (!('paymentRequired' in started)) throw new Error('a checkout in USDC says what to sign')
  const { checkout, paymentRequired, checkoutCredential } = started
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
  showStatus('Sign in the wallet. Nothing moves before that, and no more than this.', back())
  const payment = await signUsdcPayment(wallet, address, paymentRequired.accepts[0]!, checkout)
  // The service withholds the credential only from guests with short idempotency keys; ours is long enough.
  const pending = { checkoutId: checkout.id, credential: checkoutCredential!, payment }
  savePendingPurchase(post.id, { USDC: pending })
  return pending
}

/** Stops if the user has closed the panel, so that the wallet opens no more prompts. */
function requireOpen({ place }: CheckoutPanel): void {
  if (!place.isConnected) throw new NotPaid('')
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const defaultRetrySeconds = 3

/** Submits the signed payment until the service knows its outcome. */
async function submitUntilFinal(
  panel: CheckoutPanel,
  pending: PendingUsdcPurchase,
  showStatus: ShowStatus,
): Promise<void> {
  const { post } = panel
  showStatus('Your payment is on its way.')
  for (;;) {
    try {
      const paid = await submitPayment(pending)
      if (paid.session) {
        // A guest gets an account without a login: the cookie opens it now, the stored credential later.
        saveGuestPurchase({ ...pending, postId: post.id, title: post.title })
        await startSession(paid.session)
      }
      removePendingPurchase(post.id)
      return await panel.bought()
    } catch (error) {
      if (error instanceof NotPaid) {
        removePendingPurchase(post.id, 'USDC')
        throw error
      }
      const refusal = error instanceof RefusedError ? error : undefined
      if (refusal?.code === 'already-purchased') {
        removePendingPurchase(post.id)
        if (panel.viewer) return await panel.bought()
        throw new NotPaid('This wallet has bought it already, and was not charged. Read it as that wallet instead.')
      }
      const isFinal =
        refusal && refusal.status < 500 && refusal.status !== 429 && refusal.code !== 'usdc-settlement-pending'
      if (isFinal) {
        removePendingPurchase(post.id, 'USDC')
        throw error
      }
      showStatus(
        refusal?.code === 'usdc-settlement-pending'
          ? 'Your payment is under way; the chain has not confirmed it yet. There is nothing more to do or to sign, and you may close this page.'
          : 'The service cannot be reached. Your signature is kept, and is sent again by itself.',
      )
      await wait(refusal?.retryAfterSeconds ?? defaultRetrySeconds)
    }
  }
}

async function submitPayment({ checkoutId, credential, payment }: PendingUsdcPurchase) {
  const headers = { 'payment-signature': payment }
  const reply = await callApiWithToken(credential, settleCheckout, { params: { checkoutId }, headers })
  if (!('checkout' in reply)) throw new NotPaid(paymentErrorMessage(reply.error))
  return reply
}

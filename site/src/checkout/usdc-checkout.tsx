import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { RefusedError } from '@pennypost/contract/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi, callApiWithToken } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'
import { randomUuid } from '../random-uuid.ts'
import { fetchSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { walletErrorMessage } from '../wallet/browser-wallet.ts'
import { chooseWallet } from '../wallet/choose-wallet.tsx'
import { signUsdcPayment } from '../wallet/sign-usdc-payment.ts'
import type { CheckoutPanelProps } from './checkout-panel.ts'
import { keepGuestPurchase } from './keep-guest-purchase.ts'
import { paymentErrorMessage } from './payment-error-message.ts'
import {
  type PendingUsdcPurchase,
  pendingPurchases,
  removePendingPurchase,
  savePendingPurchase,
} from './purchase-storage.ts'

// Buying with USDC from a wallet in the browser. The signed payment is stored before it is sent, and sent again until its
// outcome is known, so nobody signs twice for one purchase.

/** The payment failed for good, and nothing was charged. */
class NotPaid extends Error {}

/** The payment as the reader sees it. */
interface PaymentDisplay {
  readonly body?: Children
  readonly status?: string
  readonly mayLeave?: boolean
  readonly hasFailed?: boolean
}

/** The steps of a payment, which the reader may leave. */
interface Steps extends CheckoutPanelProps {
  show(shown: PaymentDisplay): void
  isOpen(): boolean
}

export function UsdcCheckout(panel: CheckoutPanelProps) {
  const [{ body, status, mayLeave, hasFailed }, show] = useState<PaymentDisplay>({})
  const isOpen = useRef(true)
  const attempt = async (): Promise<void> => {
    const steps = { ...panel, show, isOpen: () => isOpen.current }
    try {
      const pending = pendingPurchases(panel.post.id).USDC ?? (await signNewPayment(steps))
      await submitUntilFinal(steps, pending)
    } catch (error) {
      const words = error instanceof NotPaid ? error.message : (walletErrorMessage(error) ?? errorMessage(error))
      show({ status: words, hasFailed: true, mayLeave: true })
    }
  }
  useEffect(() => {
    attempt()
    return () => {
      isOpen.current = false
    }
  }, [])
  return (
    <section class="pay" aria-label="Payment with USDC">
      <div class="pay-body">{body}</div>
      <p class="pay-status" role="status" aria-live="polite">
        {status}
      </p>
      <div class="row">
        {hasFailed && (
          <Button class="small" action={attempt}>
            Try again
          </Button>
        )}
        {mayLeave && (
          <Button class="text-button" action={panel.onClose}>
            Cancel
          </Button>
        )}
      </div>
    </section>
  )
}

/** Connects the wallet, creates the checkout and signs. No money moves before the signature. */
async function signNewPayment({ post, viewer, show, isOpen }: Steps): Promise<PendingUsdcPurchase> {
  // So that the wallet opens no more prompts after the reader has left.
  const requireOpen = () => {
    if (!isOpen()) throw new NotPaid('')
  }
  show({ mayLeave: true })
  const wallet = await chooseWallet((body) => show({ body, mayLeave: true }))
  const title = <h3>{wallet.name}</h3>
  show({ body: title, status: 'Connect your wallet to continue.', mayLeave: true })
  const address = await wallet.connect()
  requireOpen()
  show({ body: title, status: 'Switch to Base in your wallet.', mayLeave: true })
  await wallet.useBase()
  requireOpen()
  show({ body: title, status: 'One moment…' })
  // With an expired access token it would become a guest's purchase.
  if (viewer) await fetchSession()
  const started = await callApi(createCheckout, {
    idempotencyKey: randomUuid(),
    body: { postId: post.id, asset: 'USDC' },
  })
  if (!('paymentRequired' in started)) throw new Error('a checkout in USDC says what to sign')
  const { checkout, paymentRequired, checkoutCredential } = started
  show({
    body: <PaymentFacts amount={checkout.quote.amount} from={address} to={checkout.quote.payTo} />,
    status: 'Approve in your wallet. You will be charged exactly this amount.',
    mayLeave: true,
  })
  const payment = await signUsdcPayment(wallet, address, paymentRequired.accepts[0]!, checkout)
  // The service withholds the credential only from guests with short idempotency keys; ours is long enough.
  const pending = { checkoutId: checkout.id, credential: checkoutCredential!, payment }
  savePendingPurchase(post.id, { USDC: pending })
  return pending
}

interface PaymentFactsProps {
  readonly amount: string
  readonly from: string
  readonly to: string
}

const PaymentFacts = ({ amount, from, to }: PaymentFactsProps) => (
  <>
    <h3>Pay {amount} USDC</h3>
    <dl class="pay-facts">
      <dt>From</dt>
      <dd>
        <code>{from}</code>
      </dd>
      <dt>To the author</dt>
      <dd>
        <code>{to}</code>
      </dd>
      <dt>Network fee</dt>
      <dd>free, we cover it</dd>
    </dl>
  </>
)

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const defaultRetrySeconds = 3

/** Submits the signed payment until the service knows its outcome. */
async function submitUntilFinal({ post, viewer, show, onBought }: Steps, pending: PendingUsdcPurchase): Promise<void> {
  const body = <h3>Paying</h3>
  show({ body, status: 'Your payment is on its way.' })
  for (;;) {
    try {
      const { session } = await submitPayment(pending)
      const { checkoutId, credential } = pending
      if (session) await keepGuestPurchase({ checkoutId, credential, postId: post.id, title: post.title }, session)
      removePendingPurchase(post.id)
      await onBought('')
      return
    } catch (error) {
      if (error instanceof NotPaid) {
        removePendingPurchase(post.id, 'USDC')
        throw error
      }
      const refusal = error instanceof RefusedError ? error : undefined
      if (refusal?.code === 'already-purchased') {
        removePendingPurchase(post.id)
        if (viewer) {
          await onBought('')
          return
        }
        throw new NotPaid(
          'This wallet has already bought this post and was not charged. Verify with that wallet instead.',
        )
      }
      const isFinal =
        refusal && refusal.status < 500 && refusal.status !== 429 && refusal.code !== 'usdc-settlement-pending'
      if (isFinal) {
        removePendingPurchase(post.id, 'USDC')
        throw error
      }
      const status =
        refusal?.code === 'usdc-settlement-pending'
          ? 'Your payment is on its way, but the network has not confirmed it yet. There is nothing more to do or sign, and you can close this page.'
          : 'The service cannot be reached. Your signature is saved and will be sent again automatically.'
      show({ body, status })
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

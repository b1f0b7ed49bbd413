import { createCheckout } from '@pennypost/contract/checkout'
import { RefusedError } from '@pennypost/contract/client'
import { useEffect, useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { type Account, fetchSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import type { CheckoutPanelProps, PostForSale } from './checkout-panel.ts'
import { keepGuestPurchase } from './keep-guest-purchase.ts'
import { NanoPayment, paymentStatusText, type StartedPayment } from './nano-payment.tsx'
import {
  type PendingNanoPurchase,
  pendingPurchases,
  removePendingPurchase,
  saveBuyIntent,
  savePendingPurchase,
} from './purchase-storage.ts'
import { startPayment } from './start-payment.ts'
import { type CheckoutStatus, readCheckout } from './watch-checkout.ts'

/** Buys a post with Nano, as a guest or for the account that is signed in. Continues what this browser started before. */
export function NanoCheckout({ post, viewer, onBought, onClose }: CheckoutPanelProps) {
  const [started, setStarted] = useState<StartedPayment>()
  const [problem, setProblem] = useState<unknown>()
  const start = async (isRenewed: boolean) => {
    setProblem(undefined)
    try {
      setStarted(await startPurchase(post.id, viewer, isRenewed))
    } catch (error) {
      if (isRefusedAs(error, 'already-purchased')) return onBought('')
      setProblem(error)
    }
  }
  useEffect(() => {
    start(false)
  }, [])
  const close = () => {
    const pending = pendingPurchases(post.id).XNO
    if (pending) savePendingPurchase(post.id, { XNO: { ...pending, isOpen: false } })
    onClose()
  }
  if (problem !== undefined)
    return <Problem problem={problem} post={post} viewer={viewer} again={() => start(false)} close={close} />
  if (!started) return <PaymentPlaceholder />
  return (
    <NanoPayment
      key={started.checkout.id}
      started={started}
      usd={post.usd}
      onPaid={async (status) => {
        await finishPurchase(post, started.credential, status)
        await onBought(paymentStatusText(status.checkout))
      }}
      onRenew={() => start(true)}
      onClose={close}
    />
  )
}

/** Keeps the place of the code while the payment is being started. */
const PaymentPlaceholder = () => (
  <section class="pay" aria-label="Payment with Nano" aria-busy="true">
    <h3>One moment…</h3>
    <div class="pay-ways">
      <div class="pay-scan pay-scan-empty" />
    </div>
  </section>
)

interface ProblemProps {
  readonly problem: unknown
  readonly post: PostForSale
  readonly viewer: Account | null
  readonly again: () => unknown
  readonly close: () => unknown
}

/** Explains why no payment could be started. Limits for guests do not apply to accounts, so signing in helps. */
const Problem = ({ problem, post, viewer, again, close }: ProblemProps) => (
  <section class="pay" aria-label="Payment with Nano">
    <p class="pay-status" role="alert">
      {errorMessage(problem)}
    </p>
    <div class="row">
      <Button class="small" action={again}>
        Try again
      </Button>
      {!viewer && (isRefusedAs(problem, 'guest-checkout-busy') || isRefusedAs(problem, 'rate-limited')) && (
        <Button
          action={() => {
            saveBuyIntent(post.id)
            redirectToSignIn('buy')
          }}
        >
          Sign in
        </Button>
      )}
      <Button class="text-button" action={close}>
        Cancel
      </Button>
    </div>
  </section>
)

const isRefusedAs = (error: unknown, code: string): boolean => error instanceof RefusedError && error.code === code

/** Expired ones are kept for a while, because late money still buys. */
const maxCheckouts = 4

/** Starts the purchase, or returns the one that was started before. The key is stored first: sending it again is the same purchase. */
async function startPurchase(postId: string, viewer: Account | null, isRenewed: boolean): Promise<StartedPayment> {
  // With an expired access token it would become a guest's purchase.
  if (viewer) await fetchSession()
  const account = viewer?.id ?? null
  const stored = pendingPurchases(postId).XNO
  const mine = stored?.account === account ? stored : undefined
  const pending: PendingNanoPurchase = {
    account,
    key: mine && !isRenewed ? mine.key : randomUuid(),
    isOpen: true,
    checkouts: mine?.checkouts ?? [],
  }
  savePendingPurchase(postId, { XNO: pending })
  try {
    const started = await startPayment(createCheckout, {
      idempotencyKey: pending.key,
      body: { postId, asset: 'XNO' },
    })
    const { checkout, credential } = started
    const earlier = pending.checkouts.filter(({ id }) => id !== checkout.id)
    const checkouts = [{ id: checkout.id, credential }, ...earlier].slice(0, maxCheckouts)
    savePendingPurchase(postId, { XNO: { ...pending, checkouts } })
    // A reader who presses the button again after an hour needs a new price.
    const isOver = checkout.status === 'expired' && checkout.receivedRaw === '0'
    return isOver && mine?.isOpen === false ? await startPurchase(postId, viewer, true) : started
  } catch (error) {
    // A refusal started nothing. After a network error it may have been started.
    if (error instanceof RefusedError && error.status < 500) removePendingPurchase(postId, 'XNO')
    throw error
  }
}

async function finishPurchase(post: PostForSale, credential: string, { checkout, session }: CheckoutStatus) {
  if (session)
    await keepGuestPurchase({ checkoutId: checkout.id, credential, postId: post.id, title: post.title }, session)
  removePendingPurchase(post.id)
}

/**
 * Finishes a purchase that was paid while its page was closed, or after its price had expired. Returns false if none was
 * paid.
 */
export async function finishPaidPurchase(post: PostForSale): Promise<boolean> {
  for (const started of pendingPurchases(post.id).XNO?.checkouts ?? []) {
    const status = await readCheckout(started).catch(() => undefined)
    if (status?.checkout.status !== 'paid') continue
    await finishPurchase(post, started.credential, status)
    return true
  }
  return false
}

import { cancelPurchase, createPurchase, getPurchase, type Purchase } from '@pennypost/contract/purchases'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi } from '../call-api.ts'
import { findElement } from '../dom.ts'
import { randomUuid } from '../random-uuid.ts'
import { watchEvents } from '../watch-events.ts'
import type { CheckoutPanel } from './open-paywall.ts'
import { pendingPurchases, removePendingPurchase, savePendingPurchase } from './purchase-storage.ts'
import { paymentStatusText, showNanoPayment } from './show-nano-payment.ts'

/** Buys with Nano: a quote, or the one that was begun before, until its money is there. */
export async function buyWithNano(panel: CheckoutPanel): Promise<void> {
  const { post, viewer, place, leave } = panel
  const account = viewer!.id
  const kept = pendingPurchases(post.id).XNO
  const key = kept?.account === account ? kept.key : randomUuid()
  savePendingPurchase(post.id, { XNO: { account, key } })
  const quoted = await quote(post.id, key)
  if (quoted === 'theirs') return panel.bought()
  const { purchase, statusUrl } = quoted
  const params = { purchaseId: purchase.id }
  showNanoPayment<Purchase>({
    place,
    order: purchase,
    statusUrl,
    event: 'purchase',
    title: (amount) => `Send ${amount} XNO`,
    read: () => callApi(getPurchase, { params }),
    async onPaid(received) {
      removePendingPurchase(post.id)
      await panel.bought(paymentStatusText(received))
      showPayoutStatus(statusUrl)
    },
    async cancel() {
      await callApi(cancelPurchase, { params })
      removePendingPurchase(post.id, 'XNO')
      leave()
    },
    async requote() {
      removePendingPurchase(post.id, 'XNO')
      await buyWithNano(panel)
    },
    leave() {
      removePendingPurchase(post.id, 'XNO')
      leave()
    },
  })
}

/** The same key answers the same quote, in the state that it has now. */
async function quote(postId: string, key: string) {
  try {
    return await callApi(createPurchase, { idempotencyKey: key, body: { postId } })
  } catch (error) {
    removePendingPurchase(postId, 'XNO')
    if (error instanceof RefusedError && error.code === 'already-purchased') return 'theirs'
    throw error
  }
}

/** Beside the text, until the author has the money. */
function showPayoutStatus(statusUrl: string): void {
  const place = findElement('.bought [role="status"]')
  const stop = watchEvents<Purchase>(statusUrl, 'purchase', (told) => {
    const words = paymentStatusText(told)
    if (place && place.textContent !== words) place.textContent = words
    if (told.status === 'paid') stop()
  })
}

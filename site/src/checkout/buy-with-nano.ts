import { cancelPurchase, createPurchase, getPurchase, type Purchase } from '@pennypost/contract/purchases'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi } from '../call-api.ts'
import { findElement } from '../dom.ts'
import { randomUuid } from '../random-uuid.ts'
import { watchEvents } from '../watch-events.ts'
import type { CheckoutPanel } from './checkout-panel.ts'
import { pendingPurchases, removePendingPurchase, savePendingPurchase } from './purchase-storage.ts'
import { paymentStatusText, showNanoPayment } from './show-nano-payment.ts'

/** Buys a post with Nano, with a new order or the one that this browser started before. */
export async function buyWithNano(panel: CheckoutPanel): Promise<void> {
  const { post, viewer, place, leave } = panel
  const account = viewer!.id
  const pending = pendingPurchases(post.id).XNO
  const key = pending?.account === account ? pending.key : randomUuid()
  savePendingPurchase(post.id, { XNO: { account, key } })
  const created = await createOrder(post.id, key)
  if (created === 'already-purchased') return panel.bought()
  const { purchase, statusUrl } = created
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

/** Creates the order. The same key returns the same order, in its current state. */
async function createOrder(postId: string, key: string) {
  try {
    return await callApi(createPurchase, { idempotencyKey: key, body: { postId } })
  } catch (error) {
    removePendingPurchase(postId, 'XNO')
    if (error instanceof RefusedError && error.code === 'already-purchased') return 'already-purchased'
    throw error
  }
}

/** Shows beside the text how the payout goes, until the author has been paid. */
function showPayoutStatus(statusUrl: string): void {
  const place = findElement('.bought [role="status"]')
  const stop = watchEvents<Purchase>(statusUrl, 'purchase', (purchase) => {
    const words = paymentStatusText(purchase)
    if (place && place.textContent !== words) place.textContent = words
    if (purchase.status === 'paid') stop()
  })
}

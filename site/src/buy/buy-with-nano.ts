import { cancelPurchase, createPurchase, getPurchase, type Purchase } from '@pennypost/contract/purchases'
import { ask, newKey, RefusedError } from '../api.ts'
import { find } from '../dom.ts'
import { watch } from '../live.ts'
import { buyingOf, forgetBuying, keepBuying } from './kept.ts'
import { nanoPayment, statusWords } from './nano-payment.ts'
import type { Till } from './paywall.ts'

/** Buys with Nano: a quote, or the one that was begun before, until its money is there. */
export async function buyWithNano(till: Till): Promise<void> {
  const { post, viewer, place, leave } = till
  const account = viewer!.id
  const kept = buyingOf(post.id).XNO
  const key = kept?.account === account ? kept.key : newKey()
  keepBuying(post.id, { XNO: { account, key } })
  const quoted = await quote(post.id, key)
  if (quoted === 'theirs') return till.bought()
  const { purchase, statusUrl } = quoted
  const params = { purchaseId: purchase.id }
  nanoPayment<Purchase>({
    place,
    session: purchase,
    statusUrl,
    event: 'purchase',
    title: (amount) => `Send ${amount} XNO`,
    read: () => ask(getPurchase, { params }),
    async granted(received) {
      forgetBuying(post.id)
      await till.bought(statusWords(received))
      followPayout(statusUrl)
    },
    async cancel() {
      await ask(cancelPurchase, { params })
      forgetBuying(post.id, 'XNO')
      leave()
    },
    async again() {
      forgetBuying(post.id, 'XNO')
      await buyWithNano(till)
    },
    leave() {
      forgetBuying(post.id, 'XNO')
      leave()
    },
  })
}

/** The same key answers the same quote, in the state that it has now. */
async function quote(postId: string, key: string) {
  try {
    return await ask(createPurchase, { idempotencyKey: key, body: { postId } })
  } catch (error) {
    forgetBuying(postId, 'XNO')
    if (error instanceof RefusedError && error.code === 'already-purchased') return 'theirs'
    throw error
  }
}

/** Beside the text, until the author has the money. */
function followPayout(statusUrl: string): void {
  const place = find('.bought [role="status"]')
  const stop = watch<Purchase>(statusUrl, 'purchase', (told) => {
    const words = statusWords(told)
    if (place && place.textContent !== words) place.textContent = words
    if (told.status === 'paid') stop()
  })
}

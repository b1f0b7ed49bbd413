import { PennypostError } from './errors.ts'
import { readJson, type Store, withLock, writeJson } from './store.ts'

interface SavedKey {
  readonly idempotencyKey: string
  /** Missing if the response was lost. */
  readonly id?: string
}

export interface OrderSteps<Order> {
  /** Whether the order that was made before is over, so that a new one is wanted. */
  readonly isOver: (id: string) => Promise<boolean>
  readonly order: (idempotencyKey: string) => Promise<{ id: string; order: Order; isOver: boolean }>
}

/** Idempotency keys of orders, saved before they are used. */
export interface OrderKeys {
  /** Makes an order, or returns the one that is still open under this name. */
  orderOnce<Order>(name: string, steps: OrderSteps<Order>): Promise<Order>
}

export const orderKeysIn = (store: Store): OrderKeys => ({
  orderOnce: (name, { isOver, order }) =>
    withLock(store, name, async () => {
      const saved = await readJson<SavedKey>(store, name)
      const isUsable = saved && (saved.id === undefined || !(await isOver(saved.id).catch(isUnknown)))
      const orderWith = async (idempotencyKey: string) => {
        const made = await order(idempotencyKey)
        await writeJson(store, name, { idempotencyKey, id: made.id })
        return made
      }
      if (isUsable) {
        const made = await orderWith(saved.idempotencyKey)
        if (!made.isOver) return made.order
      }
      const idempotencyKey = crypto.randomUUID()
      await writeJson(store, name, { idempotencyKey })
      return (await orderWith(idempotencyKey)).order
    }),
})

/** An order that the service no longer knows is over. */
function isUnknown(error: unknown): boolean {
  if (error instanceof PennypostError && error.status === 404) return true
  throw error
}

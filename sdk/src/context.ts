import type { Caller } from './caller.ts'
import type { Operations } from './generated/operations.ts'
import type { Payer } from './payments/payer.ts'
import type { SpendingGuard } from './payments/spending-limit.ts'
import type { SessionKeeper } from './session.ts'
import type { Store } from './store.ts'

/** The parts that all areas of the client share. */
export interface Context {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly operations: Operations
  readonly caller: Caller
  readonly session: SessionKeeper
  readonly store: Store
  readonly payer: Payer
  readonly spending: SpendingGuard
}

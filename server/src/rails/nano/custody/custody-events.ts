import type { Amount } from '@pennypost/contract/money'
import type { Tx } from '../../../platform/database/database.ts'

/** Confirmed money that came to an address of ours. */
export interface Arrival {
  readonly hash: string
  readonly addressId: string
  readonly address: string
  readonly amount: Amount<'XNO'>
  readonly source: string
}

/** Money that was to be sent, and what became of it. */
export interface Send {
  readonly id: string
  readonly addressId: string
  readonly address: string
  readonly amount: Amount<'XNO'>
  readonly blockHash: string
}

/**
 * What follows when money reaches or leaves an address of ours. Payments defines it and `services.ts` binds it, so that
 * the rails know nothing of orders. Each is called once for an event, in the transaction that notes it.
 */
export interface CustodyEvents {
  onArrival(tx: Tx, arrival: Arrival): Promise<void>
  onSendConfirmed(tx: Tx, send: Send): Promise<void>
  /** No node will ever take it. `resend` says where it may go instead. */
  onSendRefused(tx: Tx, send: Send, reason: string): Promise<void>
}

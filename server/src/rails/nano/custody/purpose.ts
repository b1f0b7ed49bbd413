import type { Tx } from '../../../platform/database/database.ts'

/** Confirmed money that came to an address of ours. */
export interface Arrival {
  readonly hash: string
  readonly addressId: string
  readonly address: string
  readonly amount: bigint
  readonly source: string
}

/** Money that was to be sent, and what became of it. */
export interface Send {
  readonly id: string
  readonly addressId: string
  readonly address: string
  readonly amount: bigint
  readonly blockHash: string
}

/** What an address was given out for. Each is called once for an event, in the transaction that notes it. */
export interface CustodyPurpose {
  onArrival(tx: Tx, arrival: Arrival): Promise<void>
  onSendConfirmed(tx: Tx, send: Send): Promise<void>
  /** No node will ever take it. `resend` says where it may go instead. */
  onSendRefused(tx: Tx, send: Send, reason: string): Promise<void>
}

/** Every purpose by its name. Later rooms define them; services.ts binds them to the parts they need. */
export type CustodyPurposes = Readonly<Record<string, CustodyPurpose>>

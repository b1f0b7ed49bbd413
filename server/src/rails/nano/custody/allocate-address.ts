import type { Amount } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/database.ts'
import type { RailServices } from '../../services.ts'
import { addressChannel } from './address-book.ts'
import { type AddressRow, addAddress, nextAddressId } from './custody-store.ts'

export interface AddressWish {
  /** What the address is given out for; kept for operators. */
  readonly purpose: 'order' | 'x402' | 'x402-stray' | 'transfer'
  /** Less than this is dust: it is never looked at and never received. */
  readonly leastRaw: Amount<'XNO'>
  /** Looked at often until then, ever more rarely afterwards, and always. */
  readonly expiresAt: Date
  /** The key is hashed from this text, so that the address is known without a row; left out: the next index. */
  readonly derivation?: string | null
}

/** A new address of ours, watched from the commit on. Needs no node. */
export async function allocateAddress(
  { clock, keyring }: Pick<RailServices, 'clock' | 'keyring'>,
  tx: Tx,
  { purpose, leastRaw, expiresAt, derivation = null }: AddressWish,
): Promise<AddressRow> {
  const now = clock.now()
  const id = await nextAddressId(tx)
  const address = keyring.addressOf({ id, derivation })
  const row = await addAddress(tx, {
    id,
    derivation,
    address,
    purpose,
    least_raw: String(leastRaw),
    created_at: now,
    expires_at: expiresAt,
    next_look_at: now,
  })
  await sql`SELECT pg_notify(${addressChannel}, ${address})`.execute(tx)
  return row
}

import type { RailServices } from '../../services.ts'
import { nextLookAt } from '../node/address-watcher.ts'
import type { AddressRow } from './custody-store.ts'

// Whoever asks all the time has an address looked at no oftener than this.
const leastPauseMs = 3_000

/** Somebody waits for money at this address: it is looked at next, unless that was done a moment ago. */
export async function lookSoon(
  { db, clock }: Pick<RailServices, 'db' | 'clock'>,
  address: Pick<AddressRow, 'id' | 'created_at' | 'expires_at' | 'next_look_at'>,
): Promise<void> {
  const now = clock.now()
  const untilNextMs = address.next_look_at.getTime() - now.getTime()
  const pauseMs =
    nextLookAt({ since: address.created_at, expiresAt: address.expires_at }, now).getTime() - now.getTime()
  if (untilNextMs <= 0 || pauseMs - untilNextMs < leastPauseMs) return
  await db
    .updateTable('nano_addresses')
    .set({ next_look_at: now })
    .where('id', '=', address.id)
    .where('next_look_at', '>', now)
    .execute()
}

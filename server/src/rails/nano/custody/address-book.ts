import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { AddressBook, WatchedAddress } from '../node/address-watcher.ts'

/** New addresses are told here, so that every watcher's websocket knows them at once. */
export const addressChannel = 'nano_addresses'

// Whoever takes an address to look at it has it to itself for so long; after a crash it is due again.
const leaseSeconds = 15

interface DueAddress {
  readonly address: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly least_raw: string
}

/**
 * All our addresses, shared by every process that watches: each is looked at by one of them. One where money is being
 * noted at this moment is not passed over, hence the weaker lock.
 */
export const createAddressBook = (db: Db): AddressBook => ({
  async listDue(now, most) {
    const { rows } = await sql<DueAddress>`
      UPDATE nano_addresses SET next_look_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
      WHERE id IN (SELECT id FROM nano_addresses WHERE next_look_at <= ${now}
        ORDER BY next_look_at LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING address, created_at, expires_at, least_raw`.execute(db)
    return rows.map(
      (row): WatchedAddress => ({
        address: row.address,
        since: row.created_at,
        expiresAt: row.expires_at,
        leastRaw: BigInt(row.least_raw),
      }),
    )
  },
  async lookAgain(address, at) {
    await db.updateTable('nano_addresses').set({ next_look_at: at }).where('address', '=', address).execute()
  },
})

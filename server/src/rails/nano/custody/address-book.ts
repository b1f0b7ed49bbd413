import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { AddressBook, WatchedAddress } from '../node/address-watcher.ts'
import type { Preparer } from './prepare-addresses.ts'

/** New addresses are announced on this channel, so that every watcher's websocket subscribes to them immediately. */
export const addressChannel = 'nano_addresses'

// A process that takes an address to look at it holds it for this long; after a crash it is due again.
const leaseSeconds = 15

interface DueAddress {
  readonly id: string
  readonly address: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly least_raw: string
  readonly is_unprepared: boolean
}

/**
 * All our addresses, shared by every process that watches: each is looked at by one of them. An address where an arrival
 * is being noted is not skipped, hence the weaker lock. The preparer is offered those that have neither a first block
 * nor work for it.
 */
export const createAddressBook = (db: Db, { offer }: Pick<Preparer, 'offer'>): AddressBook => ({
  async listDue(now, most) {
    const { rows } = await sql<DueAddress>`
      WITH due AS MATERIALIZED (
        SELECT id FROM nano_addresses WHERE next_look_at <= ${now}
        ORDER BY next_look_at LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE nano_addresses SET next_look_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
      WHERE id IN (SELECT id FROM due)
      RETURNING id, address, created_at, expires_at, least_raw,
        open_work IS NULL AND NOT EXISTS (
          SELECT FROM nano_blocks WHERE address_id = nano_addresses.id AND refused_at IS NULL) AS is_unprepared
      `.execute(db)
    offer(
      rows
        .filter((row) => row.is_unprepared && row.expires_at > now)
        .map(({ id, address, expires_at: expiresAt }) => ({ id, address, expiresAt })),
    )
    return rows.map(
      (row): WatchedAddress => ({
        address: row.address,
        since: row.created_at,
        expiresAt: row.expires_at,
        leastRaw: BigInt(row.least_raw),
      }),
    )
  },
  async listNewest(most) {
    const newest = await db.selectFrom('nano_addresses').select('address').orderBy('id', 'desc').limit(most).execute()
    return newest.map(({ address }) => address)
  },
  /** Sorted by id, so that two processes that update the same rows never deadlock. */
  async lookAgain(looks) {
    const addresses = looks.map(({ address }) => address)
    const times = looks.map(({ at }) => at.toISOString())
    await sql`
      UPDATE nano_addresses SET next_look_at = looked.at FROM (
        SELECT id, look.at FROM nano_addresses
        JOIN unnest(${addresses}::text[], ${times}::timestamptz[]) AS look(address, at) USING (address)
        ORDER BY id FOR NO KEY UPDATE OF nano_addresses) looked
      WHERE nano_addresses.id = looked.id`.execute(db)
  },
})

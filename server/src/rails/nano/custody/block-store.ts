import type { StateBlock } from '@pennypost/nano/block'
import { type ColumnType, type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/database.ts'
import type { ArrivalRow } from './arrivals.ts'

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    nano_sends: SendTable
    nano_blocks: BlockTable
  }
}

interface SendTable {
  id: string
  number: Generated<string>
  address_id: string
  destination: string
  amount: string
  created_at: Date
  confirmed_at: Date | null
  refused_at: Date | null
}

interface BlockTable {
  hash: string
  address_id: string
  height: number
  previous: string
  balance: string
  arrival_hash: string | null
  send_id: string | null
  block: ColumnType<StateBlock, string, string>
  signed_at: Date
  published_at: Date | null
  confirmed_at: Date | null
  refused_at: Date | null
}

export type SendRow = Selectable<SendTable>
export type BlockRow = Selectable<BlockTable>

export const addSend = (
  tx: Tx,
  send: Pick<SendRow, 'id' | 'address_id' | 'destination' | 'amount' | 'created_at'>,
): Promise<unknown> =>
  tx
    .insertInto('nano_sends')
    .values({ ...send, confirmed_at: null, refused_at: null })
    .execute()

/** The oldest send that is not signed yet. */
export const findNextSend = (db: Db | Tx, addressId: string): Promise<SendRow | undefined> =>
  db
    .selectFrom('nano_sends')
    .selectAll()
    .where('address_id', '=', addressId)
    .where('confirmed_at', 'is', null)
    .where('refused_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('nano_blocks')
            .select('hash')
            .whereRef('nano_blocks.send_id', '=', 'nano_sends.id')
            .where('nano_blocks.refused_at', 'is', null),
        ),
      ),
    )
    .orderBy('number')
    .executeTakeFirst()

/** The largest arrival that is not received yet. Receiving the largest first needs the fewest blocks. */
export const findNextArrival = (db: Db | Tx, addressId: string): Promise<ArrivalRow | undefined> =>
  db
    .selectFrom('nano_arrivals')
    .selectAll()
    .where('address_id', '=', addressId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('nano_blocks')
            .select('hash')
            .whereRef('nano_blocks.arrival_hash', '=', 'nano_arrivals.hash')
            .where('nano_blocks.refused_at', 'is', null),
        ),
      ),
    )
    .orderBy('amount', 'desc')
    .orderBy('number')
    .executeTakeFirst()

export const findBlock = (db: Db | Tx, hash: string): Promise<BlockRow> =>
  db.selectFrom('nano_blocks').selectAll().where('hash', '=', hash).executeTakeFirstOrThrow()

/** The newest block of an address. */
export const findLastBlock = (db: Db | Tx, addressId: string): Promise<BlockRow | undefined> =>
  db
    .selectFrom('nano_blocks')
    .selectAll()
    .where('address_id', '=', addressId)
    .where('refused_at', 'is', null)
    .orderBy('height', 'desc')
    .executeTakeFirst()

/** Blocks that are signed but not confirmed yet, in order. */
export const listOpenBlocks = (db: Db | Tx, addressId: string): Promise<BlockRow[]> =>
  db
    .selectFrom('nano_blocks')
    .selectAll()
    .where('address_id', '=', addressId)
    .where('confirmed_at', 'is', null)
    .where('refused_at', 'is', null)
    .orderBy('height')
    .execute()

export const addBlock = (
  tx: Tx,
  row: Omit<BlockRow, 'published_at' | 'confirmed_at' | 'refused_at'>,
): Promise<BlockRow> =>
  tx
    .insertInto('nano_blocks')
    .values({ ...row, block: JSON.stringify(row.block), published_at: null, confirmed_at: null, refused_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

export const saveWork = (db: Db, hash: string, block: StateBlock): Promise<unknown> =>
  db
    .updateTable('nano_blocks')
    .set({ block: JSON.stringify(block) })
    .where('hash', '=', hash)
    .execute()

export const markPublished = (db: Db, hash: string, now: Date): Promise<unknown> =>
  db
    .updateTable('nano_blocks')
    .set({ published_at: now })
    .where('hash', '=', hash)
    .where('published_at', 'is', null)
    .execute()

/** Returns false if it was recorded before, or refused. */
export async function markConfirmed(tx: Tx, hash: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('nano_blocks')
    .set({ confirmed_at: now, published_at: sql`coalesce(published_at, ${now})` })
    .where('hash', '=', hash)
    .where('confirmed_at', 'is', null)
    .where('refused_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Marks a block that no node will ever accept, which frees its position. Returns false if a node may have it, if one of our
 * blocks follows it, or if it was marked before. The caller must hold the lock on the address.
 */
export async function markRefused(tx: Tx, hash: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('nano_blocks')
    .set({ refused_at: now })
    .where('hash', '=', hash)
    .where('published_at', 'is', null)
    .where('confirmed_at', 'is', null)
    .where('refused_at', 'is', null)
    .where(
      sql<boolean>`NOT EXISTS (SELECT FROM nano_blocks next WHERE next.address_id = nano_blocks.address_id
        AND next.previous = nano_blocks.hash AND next.refused_at IS NULL)`,
    )
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const changeSend = (
  tx: Tx,
  id: string,
  change: Partial<Pick<SendRow, 'confirmed_at' | 'refused_at' | 'destination'>>,
): Promise<SendRow> =>
  tx.updateTable('nano_sends').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Marks a send for which no block was signed. Returns false if there is one. The caller must hold the lock on the address. */
export async function markSendRefused(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('nano_sends')
    .set({ refused_at: now })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .where('refused_at', 'is', null)
    .where(sql<boolean>`NOT EXISTS (SELECT FROM nano_blocks WHERE send_id = nano_sends.id AND refused_at IS NULL)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Sends that are promised and not confirmed yet. */
export async function countUnfinishedSends(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('nano_sends')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('confirmed_at', 'is', null)
    .where('refused_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns false if there is no such send, or it was not refused. */
export async function redirectSend(tx: Tx, id: string, destination: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('nano_sends')
    .set({ destination, refused_at: null })
    .where('id', '=', id)
    .where('refused_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Lists addresses with something to sign, publish or confirm and no live job in their queue. Without the second condition,
 * addresses that wait for an unreachable node would hold up the others.
 */
export const listUnfinishedAddresses = async (db: Db, queuePrefix: string, most: number): Promise<string[]> => {
  const { rows } = await sql<{ address_id: string }>`
    SELECT address_id FROM (
      SELECT address_id FROM nano_sends WHERE confirmed_at IS NULL AND refused_at IS NULL
      UNION SELECT address_id FROM nano_blocks WHERE confirmed_at IS NULL AND refused_at IS NULL) unfinished
    WHERE NOT EXISTS (SELECT FROM jobs WHERE queue = ${queuePrefix} || address_id AND dead_at IS NULL)
    ORDER BY address_id LIMIT ${most}`.execute(db)
  return rows.map((row) => row.address_id)
}

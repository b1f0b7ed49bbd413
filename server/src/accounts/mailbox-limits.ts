import { createHmac } from 'node:crypto'
import { mailCooldown } from '@pennypost/contract/sessions'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Secrets } from '../platform/secrets.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    mailbox_events: { mailbox: Buffer; kind: 'send' | 'wrong_code'; at: Date }
  }
}

// Limits for each email address, across registration, login and email change together: one mail a minute and six an
// hour, and ten wrong codes an hour.
const hourMs = 3_600_000
const cooldownMs = 60_000
const maxSends = 6
const maxWrongCodes = 10

/** A keyed hash of an email address, so that the counts do not store the address itself. */
export const mailboxOf = (secrets: Secrets, email: string): Buffer =>
  createHmac('sha256', secrets.key('mailbox')).update(email).digest()

/** Counts a mail to the address, or refuses. Does the same whether or not the address has an account. */
export async function countSend(tx: Tx, mailbox: Buffer, now: Date): Promise<void> {
  const sends = await recent(tx, mailbox, 'send', now)
  const last = sends.at(-1)
  const cooldown = last ? last.getTime() + cooldownMs - now.getTime() : 0
  const sixthLast = sends.at(-maxSends)
  const hourly = sixthLast ? sixthLast.getTime() + hourMs - now.getTime() : 0
  const waitMs = Math.max(cooldown, hourly)
  if (waitMs > 0) refuse(mailCooldown, {}, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  await tx.insertInto('mailbox_events').values({ mailbox, kind: 'send', at: now }).execute()
}

/** Seconds until the address may try again after too many wrong codes. 0 if it may try now. */
export async function waitAfterWrongCodes(tx: Tx, mailbox: Buffer, now: Date): Promise<number> {
  const wrong = await recent(tx, mailbox, 'wrong_code', now)
  const tenthLast = wrong.at(-maxWrongCodes)
  return tenthLast ? Math.ceil((tenthLast.getTime() + hourMs - now.getTime()) / 1000) : 0
}

export const countWrongCode = (tx: Tx, mailbox: Buffer, now: Date): Promise<unknown> =>
  tx.insertInto('mailbox_events').values({ mailbox, kind: 'wrong_code', at: now }).execute()

// Takes a lock on the mailbox, so that parallel requests are counted one after the other.
async function recent(tx: Tx, mailbox: Buffer, kind: 'send' | 'wrong_code', now: Date): Promise<Date[]> {
  await sql`SELECT pg_advisory_xact_lock(${mailbox.readBigInt64BE().toString()}::bigint)`.execute(tx)
  const rows = await tx
    .selectFrom('mailbox_events')
    .select('at')
    .where('mailbox', '=', mailbox)
    .where('kind', '=', kind)
    .where('at', '>', new Date(now.getTime() - hourMs))
    .orderBy('at')
    .execute()
  return rows.map((row) => row.at)
}

import { createHmac } from 'node:crypto'
import { mailCooldown } from '@pennypost/contract/sessions'
import type { ConfirmedAction } from '@pennypost/contract/wallet-logins'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { clientAddress } from '../platform/http/client-address.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Secrets } from '../platform/secrets.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    mailbox_events: { mailbox: Buffer; kind: 'send' | 'wrong_code'; at: Date }
    mailbox_days: { mailbox: Buffer; kind: 'confirmation' | 'imported_post'; day: string; count: number }
  }
}

// Limits for each mailbox: one mail a minute and six an hour, for all purposes together,
// and ten wrong codes an hour for each of them.
const hourMs = 3_600_000
const cooldownMs = 60_000
const maxSends = 6
// A client's first mails to an address are sent although strangers used up the six, or they could keep its owner out.
const ownSends = 2
const maxSendsOfAll = 18
const maxWrongCodes = 10
// For emails that ask to confirm a subscription. A client's first two in an hour are sent beyond this limit, up to twice as
// many in all.
const maxConfirmations = 10
const maxConfirmationsOfDay = 20
/** A code stops working after this many tries. */
export const maxTriesOfOneCode = 5
/** How long a sign-in code works. */
export const loginCodeLifeMs = 10 * 60_000

/** The mailbox of an address. What follows a plus sign does not make another one, and neither does upper case. */
export const mailboxOf = (email: string): string => email.toLowerCase().replace(/(.)\+.*@/, '$1@')

/** A keyed hash of a client's IP address. */
export const clientOf = (secrets: Secrets, ip: string): Buffer => hashOf(secrets, `client ${clientAddress(ip)}`)

/** Keyed, so that the counts do not store the address itself. */
const hashOf = (secrets: Secrets, text: string): Buffer =>
  createHmac('sha256', secrets.key('mailbox')).update(text).digest()

const sendsOf = (secrets: Secrets, email: string): Buffer => hashOf(secrets, mailboxOf(email))

/** Counts a mail to the mailbox, or refuses. Does the same whether or not the address has an account. */
export async function countSend(
  tx: Tx,
  secrets: Secrets,
  { email, ip, now }: { readonly email: string; readonly ip: string; readonly now: Date },
): Promise<void> {
  const mailbox = sendsOf(secrets, email)
  const ofClient = hashOf(secrets, `send ${mailboxOf(email)} ${clientAddress(ip)}`)
  const sends = await recent(tx, mailbox, 'send', now)
  const own = await recent(tx, ofClient, 'send', now)
  const last = own.at(-1)
  const cooldown = last ? last.getTime() + cooldownMs - now.getTime() : 0
  const earliest = sends.at(own.length < ownSends ? -maxSendsOfAll : -maxSends)
  const hourly = earliest ? earliest.getTime() + hourMs - now.getTime() : 0
  const waitMs = Math.max(cooldown, hourly)
  if (waitMs > 0) refuse(mailCooldown, {}, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  for (const counter of [mailbox, ofClient])
    await tx.insertInto('mailbox_events').values({ mailbox: counter, kind: 'send', at: now }).execute()
}

/**
 * Counts a request for an email that asks an address to confirm a subscription, and returns whether to send it. Refuses only
 * by what this client asked for itself: the reply depends neither on what others did nor on what the address is subscribed to.
 * Counted apart from codes: nobody can keep the owner of a mailbox from signing in with it.
 */
export async function countConfirmation(
  tx: Tx,
  secrets: Secrets,
  { email, ip, now }: { readonly email: string; readonly ip: string; readonly now: Date },
): Promise<boolean> {
  const ofMailbox = hashOf(secrets, `subscription ${mailboxOf(email)}`)
  const ofClient = hashOf(secrets, `subscription ${mailboxOf(email)} ${clientAddress(ip)}`)
  const all = await recent(tx, ofMailbox, 'send', now)
  const own = await recent(tx, ofClient, 'send', now)
  const earliest = own.at(-maxConfirmations)
  if (earliest) {
    const waitMs = earliest.getTime() + hourMs - now.getTime()
    refuse(mailCooldown, {}, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  }
  const isOwn = own.length < ownSends
  const add = (mailbox: Buffer) => tx.insertInto('mailbox_events').values({ mailbox, kind: 'send', at: now }).execute()
  await add(ofClient)
  if (all.length >= maxConfirmations * (isOwn ? 2 : 1)) return false
  await add(ofMailbox)
  const [today] = await countToday(tx, secrets, 'confirmation', [email], now)
  return today! <= maxConfirmationsOfDay * (isOwn ? 2 : 1)
}

/** Counts an email to each address on this day, and returns for each how many its mailbox has had with it. */
export async function countToday(
  tx: Tx,
  secrets: Secrets,
  kind: 'confirmation' | 'imported_post',
  emails: readonly string[],
  now: Date,
): Promise<number[]> {
  const given = emails.map((email) => hashOf(secrets, `day ${mailboxOf(email)}`).toString('hex'))
  const times = new Map<string, number>()
  for (const mailbox of given) times.set(mailbox, (times.get(mailbox) ?? 0) + 1)
  const { rows } = await sql<{ mailbox: string; count: number }>`
    INSERT INTO mailbox_days AS known (mailbox, kind, day, count)
    SELECT decode(mailbox, 'hex'), ${kind}, ${now.toISOString().slice(0, 10)}::date, added
    FROM unnest(${[...times.keys()]}::text[], ${[...times.values()]}::int[]) AS counted(mailbox, added) ORDER BY mailbox
    ON CONFLICT (mailbox, kind, day) DO UPDATE SET count = known.count + excluded.count
    RETURNING encode(mailbox, 'hex') AS mailbox, count`.execute(tx)
  const counts = new Map(rows.map(({ mailbox, count }) => [mailbox, count - times.get(mailbox)!]))
  return given.map((mailbox) => {
    const count = counts.get(mailbox)! + 1
    counts.set(mailbox, count)
    return count
  })
}

export interface CodeAttempt {
  readonly purpose: 'registration' | 'login' | 'continuation' | 'email_change' | ConfirmedAction
  /** The purpose of the code: the mailbox itself, a registration, or the change of an account. */
  readonly subject: string
  readonly email: string
  readonly ip: string
  readonly now: Date
}

/**
 * The wrong codes for an email address. Each purpose counts separately: wrong codes for a registration or email
 * change do not keep the owner of the mailbox from signing in. They count twice: for the client's IP address together with
 * the mailbox, and for the subject. Everyone can try to sign in as anyone, so there the subject is the mailbox, and counts
 * only as long as a code may work. Whether the mailbox has an account makes no difference. A registration or an email
 * change belongs to the client that started it, so a stranger does not use up the attempts of the mailbox's owner.
 */
export async function wrongCodesOf(tx: Tx, secrets: Secrets, attempt: CodeAttempt): Promise<WrongCodes> {
  const { purpose, subject, email, ip, now } = attempt
  const ofSubject = hashOf(secrets, `${purpose} ${subject}`)
  const ofClient = hashOf(secrets, `${purpose} ${email} ${clientAddress(ip)}`)
  const isOpenToAnyone = purpose === 'login' || purpose === 'continuation'
  const counters = [ofSubject, ofClient]
  const waits: number[] = []
  for (const counter of counters) {
    const tenthLast = (await recent(tx, counter, 'wrong_code', now)).at(-maxWrongCodes)
    waits.push(tenthLast ? Math.ceil((tenthLast.getTime() + hourMs - now.getTime()) / 1000) : 0)
  }
  return {
    waitSeconds: Math.max(...waits),
    async count() {
      const isCounted = !isOpenToAnyone || (await mayWork(tx, sendsOf(secrets, email), ofSubject, now))
      for (const mailbox of isCounted ? counters : [ofClient])
        await tx.insertInto('mailbox_events').values({ mailbox, kind: 'wrong_code', at: now }).execute()
    },
  }
}

export interface WrongCodes {
  /** Seconds until a code may be tried again; 0 if it may be tried now. */
  readonly waitSeconds: number
  /** Counts another wrong code. */
  count(): Promise<void>
}

/** Whether a code was sent, or would have been if there were an account, and has tries left. */
async function mayWork(tx: Tx, mailbox: Buffer, wrongCodes: Buffer, now: Date): Promise<boolean> {
  const sentAt = (await recent(tx, mailbox, 'send', now)).at(-1)
  if (!sentAt || sentAt.getTime() + loginCodeLifeMs <= now.getTime()) return false
  const tries = (await recent(tx, wrongCodes, 'wrong_code', now)).filter((at) => at >= sentAt)
  return tries.length < maxTriesOfOneCode
}

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

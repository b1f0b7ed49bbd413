import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Account, findAccountForUpdate } from '../accounts/account-store.ts'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { holdAccount } from '../admin/administer-account.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { Refused } from '../platform/http/refuse.ts'
import { holdPost } from '../posts/moderate-post.ts'
import { CommandRefused } from './command-refused.ts'
import type { Operator } from './open-operator.ts'

// Who administers the site, and what the operator holds. Each change is recorded in the audit log, without an actor.

export interface Administrator {
  readonly id: string
  readonly handle: string
  readonly name: string
  readonly email: string | null
  readonly createdAt: string
}

const maxAdministrators = 1_000
const maxReason = 2_000

export async function listAdministrators({ db }: Operator): Promise<Administrator[]> {
  const { rows } = await sql<Account>`SELECT * FROM accounts WHERE is_admin ORDER BY lower(handle)
    LIMIT ${maxAdministrators}`.execute(db)
  return rows.map(administratorOf)
}

const administratorOf = ({ id, handle, name, email, created_at }: Account): Administrator => ({
  id,
  handle,
  name,
  email,
  createdAt: created_at.toISOString(),
})

export interface AdminChange {
  readonly account: Administrator
  /** False if nothing had to change. */
  readonly isChanged: boolean
}

/** Makes someone an administrator. `who` is a handle, an email address or the id of an account. */
export async function addAdministrator({ db, clock }: Operator, who: string): Promise<AdminChange> {
  const id = await findAccountId(db, who)
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    await lockAdministrators(tx)
    const account = (await findAccountForUpdate(tx, id))!
    if (account.deleted_at) throw noAccount(who)
    if (account.suspended_at) throw new CommandRefused(`@${account.handle} is suspended.`, 'Run admin unhold first.')
    if (account.is_anonymous)
      throw new CommandRefused(`@${account.handle} is a guest.`, 'An administrator needs an email address or a wallet.')
    // From now on the link that the start prints no longer works, even if there is no administrator one day.
    await sql`UPDATE admin_claim SET used_at = ${now}, used_by = ${id} WHERE used_at IS NULL`.execute(tx)
    if (account.is_admin) return { account: administratorOf(account), isChanged: false }
    await setAdministrator(tx, id, true)
    await recordAuditEntry(tx, { at: now, actorId: null, act: 'admin.grant', target: ['account', id] })
    return { account: administratorOf(account), isChanged: true }
  })
}

/** Takes the role from an administrator. Refuses for the last one. */
export async function removeAdministrator({ db, clock }: Operator, who: string): Promise<AdminChange> {
  const id = await findAccountId(db, who)
  return db.transaction().execute(async (tx) => {
    await lockAdministrators(tx)
    const account = (await findAccountForUpdate(tx, id))!
    if (!account.is_admin) return { account: administratorOf(account), isChanged: false }
    const { rows } = await sql`SELECT FROM accounts WHERE is_admin AND id <> ${id} LIMIT 1`.execute(tx)
    if (rows.length === 0)
      throw new CommandRefused(`@${account.handle} is the only administrator.`, 'Add another one first.')
    await setAdministrator(tx, id, false)
    await recordAuditEntry(tx, { at: clock.now(), actorId: null, act: 'admin.revoke', target: ['account', id] })
    return { account: administratorOf(account), isChanged: true }
  })
}

export interface HoldChange {
  readonly kind: 'account' | 'post'
  readonly id: string
  readonly name: string
  readonly isHeld: boolean
}

/**
 * Suspends an account or bars a post, or ends that. A post is given as `post:ID`, an account by its handle, email address
 * or id.
 */
export async function holdTarget(
  operator: Operator,
  { target, reason, isHeld }: { readonly target: string; readonly reason: string; readonly isHeld: boolean },
): Promise<HoldChange> {
  const note = reason.trim()
  if (note === '' || note.length > maxReason)
    throw new CommandRefused(`The reason must have 1 to ${maxReason} characters.`)
  try {
    const [, postId] = /^post:(.*)$/.exec(target) ?? []
    if (postId !== undefined) {
      if (!isUuid(postId)) throw new CommandRefused(`${postId} is not the id of a post.`)
      const post = await holdPost(operator, { postId, actorId: null, isHeld, note })
      return { kind: 'post', id: post.id, name: post.title, isHeld: post.withdrawn_by_admin_at !== null }
    }
    const account = await holdAccount(operator, { accountId: await findAccountId(operator.db, target), note, isHeld })
    return { kind: 'account', id: account.id, name: `@${account.handle}`, isHeld: account.suspended_at !== null }
  } catch (error) {
    if (error instanceof Refused) throw new CommandRefused(error.message)
    throw error
  }
}

/** One change at a time: of two that remove the last two administrators, the second is refused. */
async function lockAdministrators(tx: Tx): Promise<void> {
  await sql`INSERT INTO admin_claim (id) VALUES (${randomUUID()}) ON CONFLICT (slot) DO NOTHING`.execute(tx)
  await sql`SELECT FROM admin_claim FOR UPDATE`.execute(tx)
}

const setAdministrator = (tx: Tx, id: string, isAdmin: boolean) =>
  tx.updateTable('accounts').set({ is_admin: isAdmin }).where('id', '=', id).execute()

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

async function findAccountId(db: Db, who: string): Promise<string> {
  const name = who.trim().replace(/^@/, '')
  const { rows } = await sql<{ id: string }>`SELECT id FROM accounts
    WHERE ${isUuid(name) ? sql`id = ${name}` : name.includes('@') ? sql`email = ${name.toLowerCase()}` : sql`lower(handle) = ${name.toLowerCase()}`}
    LIMIT 1`.execute(db)
  if (!rows[0]) throw noAccount(who)
  return rows[0].id
}

const noAccount = (who: string): CommandRefused =>
  new CommandRefused(`There is no account ${who}.`, 'Give a handle, an email address or the id of an account.')

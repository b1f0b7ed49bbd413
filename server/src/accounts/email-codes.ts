import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidVerification, tooManyTries } from '@pennypost/contract/sessions'
import type { ConfirmedAction } from '@pennypost/contract/wallet-logins'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { generationsOf, type Secrets } from '../platform/secrets.ts'
import { maxTriesOfOneCode, wrongCodesOf } from './mailbox-limits.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    email_codes: {
      purpose: CodePurpose
      subject: string
      code_hash: Buffer
      tries: number
      expires_at: Date
      consumed_at: Date | null
      issued_at: Date
    }
  }
}

export type CodePurpose = 'registration' | 'login' | 'continuation' | 'email_change' | ConfirmedAction

/**
 * The subject of a code for an email change, an export or a deletion. It includes the address: a code only confirms the
 * mailbox it was sent to.
 */
export const accountCodeSubject = (accountId: string, email: string): string => `${accountId} ${email}`

interface CodeSubject {
  readonly purpose: CodePurpose
  readonly subject: string
}

interface Issue extends CodeSubject {
  /** Stays the same when a job is retried. */
  readonly issue: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/**
 * Creates a code and stores its hash. A newer code replaces an older one. A retried job creates the same code again: if
 * the first attempt did send its mail, the code in that mail still works. Returns undefined if a newer code has already
 * been issued, which this one must not replace.
 */
export async function issueCode(
  db: Db,
  secrets: Secrets,
  { purpose, subject, issue, issuedAt, expiresAt }: Issue,
): Promise<string | undefined> {
  const digest = createHmac('sha256', secrets.key('email-code')).update(`${purpose}\n${subject}\n${issue}`).digest()
  const code = String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
  const hash = hashOf(secrets, purpose, subject, code)
  const { rows } = await sql`
    INSERT INTO email_codes (purpose, subject, code_hash, issued_at, expires_at)
    VALUES (${purpose}, ${subject}, ${hash}, ${issuedAt}, ${expiresAt})
    ON CONFLICT (purpose, subject) DO UPDATE SET
      code_hash = excluded.code_hash,
      issued_at = excluded.issued_at,
      expires_at = excluded.expires_at,
      tries = CASE WHEN email_codes.code_hash = excluded.code_hash THEN email_codes.tries ELSE 0 END,
      consumed_at = CASE WHEN email_codes.code_hash = excluded.code_hash THEN email_codes.consumed_at END
    WHERE email_codes.issued_at <= excluded.issued_at
    RETURNING purpose`.execute(db)
  return rows.length > 0 ? code : undefined
}

export type CodeCheck = { readonly right: true } | { readonly right: false; readonly waitSeconds: number }

interface Attempt extends CodeSubject {
  /** Six digits, or the token of the link in the email. */
  readonly code: string
  readonly email: string
  readonly ip: string
  readonly now: Date
}

/**
 * Checks a code and consumes it. The try is counted before the code is compared, so parallel guesses cannot share one.
 * A wrong code is returned, not thrown: the caller must refuse after the commit, or the count would be rolled back.
 */
export async function checkCode(tx: Tx, secrets: Secrets, attempt: Attempt): Promise<CodeCheck> {
  if (!/^\d{6}$/.test(attempt.code)) return checkLinkToken(tx, secrets, attempt)
  const wrongCodes = await wrongCodesOf(tx, secrets, attempt)
  const { waitSeconds } = wrongCodes
  if (waitSeconds > 0) return { right: false, waitSeconds }
  const live = await tx
    .updateTable('email_codes')
    .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
    .where('purpose', '=', attempt.purpose)
    .where('subject', '=', attempt.subject)
    .where('tries', '<', maxTriesOfOneCode)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', attempt.now)
    .returning('code_hash')
    .executeTakeFirst()
  const isHashOf = (hash: Buffer) => (each: Secrets) =>
    timingSafeEqual(hash, hashOf(each, attempt.purpose, attempt.subject, attempt.code))
  if (live && generationsOf(secrets).some(isHashOf(live.code_hash))) {
    await consumeCode(tx, attempt)
    return { right: true }
  }
  await wrongCodes.count()
  return { right: false, waitSeconds: 0 }
}

const consumeCode = (tx: Tx, { purpose, subject, now }: Attempt): Promise<unknown> =>
  tx
    .updateTable('email_codes')
    .set({ consumed_at: now })
    .where('purpose', '=', purpose)
    .where('subject', '=', subject)
    .execute()

/**
 * The token of the link in an email. Nobody can guess it, so it works although strangers used up the tries of the code.
 * It is derived from the stored hash, and link and code are used up together.
 */
export const linkToken = (secrets: Secrets, { purpose, subject }: CodeSubject, code: string): string =>
  tokenOf(secrets, hashOf(secrets, purpose, subject, code))

const tokenOf = (secrets: Secrets, codeHash: Buffer): string =>
  createHmac('sha256', secrets.key('email-link')).update(codeHash).digest('base64url')

async function checkLinkToken(tx: Tx, secrets: Secrets, attempt: Attempt): Promise<CodeCheck> {
  const sent = await tx
    .selectFrom('email_codes')
    .select('code_hash')
    .where('purpose', '=', attempt.purpose)
    .where('subject', '=', attempt.subject)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', attempt.now)
    .forUpdate()
    .executeTakeFirst()
  const given = Buffer.from(attempt.code)
  const isOurs = generationsOf(secrets).some((each) => {
    const expected = Buffer.from(tokenOf(each, sent?.code_hash ?? Buffer.alloc(32)))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  const isRight = sent !== undefined && isOurs
  if (isRight) await consumeCode(tx, attempt)
  return isRight ? { right: true } : { right: false, waitSeconds: 0 }
}

export function refuseWrongCode(check: CodeCheck & { right: false }): never {
  if (check.waitSeconds > 0) refuse(tooManyTries, {}, { retryAfterSeconds: check.waitSeconds })
  return refuse(invalidVerification)
}

const hashOf = (secrets: Secrets, purpose: CodePurpose, subject: string, code: string): Buffer =>
  createHmac('sha256', secrets.key('email-code-hash')).update(`${purpose}\n${subject}\n${code}`).digest()

import type { CapturedMail, readCapturedMail as declared } from '@pennypost/contract/development-tools'
import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import { capturedMailPage } from './captured-mail-page.ts'
import type { Handler } from './services.ts'

const maxMessages = 200

/** Lists captured mail, newest first: a page for browsers, JSON for programs. */
export const readCapturedMail: Handler<typeof declared> = async ({ db, createLayout }, { query, headers }) => {
  const messages = await listCapturedMail(db, query.to)
  if (headers.accept?.includes('text/html')) {
    const page = capturedMailPage(messages, query.to, createLayout({ style: 'docs' }))
    return { status: 200, headers: page.headers, body: page.html }
  }
  return { status: 200, body: JSON.stringify({ messages }) }
}

export async function listCapturedMail(db: Db, to: string | undefined): Promise<CapturedMail[]> {
  const { rows } = await sql<{ recipient: string; subject: string; text: string; html: string; sent_at: Date }>`
    SELECT recipient, subject, text, html, sent_at FROM captured_mail
    WHERE ${to ?? null}::text IS NULL OR lower(recipient) = lower(${to ?? null}) ORDER BY id DESC LIMIT ${maxMessages}`.execute(
    db,
  )
  return rows.map(({ recipient, subject, text, html, sent_at }) => ({
    to: recipient,
    subject,
    text,
    html,
    sentAt: sent_at.toISOString(),
    // A code is alone on its line. Six digits in a name are not a code.
    code: /^[0-9]{6}$/m.exec(text)?.[0] ?? null,
  }))
}

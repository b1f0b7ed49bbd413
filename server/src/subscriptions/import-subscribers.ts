import { randomUUID } from 'node:crypto'
import { Email } from '@pennypost/contract/schemas'
import { type importSubscribers as declared, importNeedsEmail, importQuota } from '@pennypost/contract/subscribers'
import { formatDate } from '@pennypost/site/format'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { mailboxOf } from '../accounts/mailbox-limits.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { countImported, importAddresses } from './subscriber-import-store.ts'

const dayMs = 24 * 3_600_000
/** How long an account is new. Anyone can have one, so it imports little at first. */
const newMs = 7 * dayMs

/** Subscribes the addresses of a list. Its author said that these people agreed; what they said is kept with the list. */
export const importSubscribers: Handler<typeof declared> = async ({ db, clock, secrets, config }, { caller, body }) => {
  const parsed = body.emails.map((email) => Email.safeParse(email))
  const valid = parsed.flatMap(({ data }) => (data === undefined ? [] : [data]))
  // The first address of each mailbox.
  const emails = [...new Map(valid.toReversed().map((email) => [mailboxOf(email), email])).values()].toReversed()
  const now = clock.now()
  const { known, ended, added } = await db.transaction().execute(async (tx) => {
    // The lock makes sure that two lists are counted one after the other.
    const { email, created_at } = await lockOwnAccount(tx, caller.accountId)
    if (email === null) refuse(importNeedsEmail)
    const imported = await countImported(tx, caller.accountId, new Date(now.getTime() - dayMs))
    const newUntil = new Date(created_at.getTime() + newMs)
    const perDay =
      now < newUntil
        ? Math.min(config.newAuthorImportsPerDay, config.subscriberImportsPerDay)
        : config.subscriberImportsPerDay
    const left = Math.max(0, perDay - imported)
    if (emails.length > left) {
      const isNew = perDay < config.subscriberImportsPerDay
      const more = isNew
        ? ` While your account is new you can import ${perDay} a day; from ${formatDate(newUntil.toISOString())} on, ${config.subscriberImportsPerDay}.`
        : ''
      refuse(importQuota, {}, { detail: `You can import ${left} more addresses in these 24 hours.${more}` })
    }
    const result = await importAddresses(tx, secrets, caller.accountId, emails, now)
    await tx
      .insertInto('subscriber_imports')
      .values({
        id: randomUUID(),
        creator_id: caller.accountId,
        consent_source: body.consentSource,
        total: emails.length,
        imported: result.added,
        created_at: now,
      })
      .execute()
    return result
  })
  const invalid = parsed.filter(({ success }) => !success).length
  return { status: 200, body: { imported: added, alreadySubscribed: known, unsubscribed: ended, invalid } }
}

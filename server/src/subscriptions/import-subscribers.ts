import { randomUUID } from 'node:crypto'
import { Email } from '@pennypost/contract/schemas'
import { type importSubscribers as declared, importNeedsEmail, importQuota } from '@pennypost/contract/subscribers'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { countImported, importAddresses } from './subscriber-store.ts'

const dayMs = 24 * 3_600_000

/** Subscribes the addresses of a list. Its author said that these people agreed; what they said is kept with the list. */
export const importSubscribers: Handler<typeof declared> = async ({ db, clock, secrets, config }, { caller, body }) => {
  const parsed = body.emails.map((email) => Email.safeParse(email))
  const emails = [...new Set(parsed.flatMap(({ data }) => (data === undefined ? [] : [data])))]
  const now = clock.now()
  const { known, ended, added } = await db.transaction().execute(async (tx) => {
    // The lock makes sure that two lists are counted one after the other.
    const { email } = await lockOwnAccount(tx, caller.accountId)
    if (email === null) refuse(importNeedsEmail)
    const imported = await countImported(tx, caller.accountId, new Date(now.getTime() - dayMs))
    const left = Math.max(0, config.subscriberImportsPerDay - imported)
    if (emails.length > left)
      refuse(importQuota, {}, { detail: `You can import ${left} more addresses in these 24 hours.` })
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

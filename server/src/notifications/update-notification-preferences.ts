import {
  type updateNotificationPreferences as declared,
  emailKeys,
  emailNotConfirmed,
} from '@pennypost/contract/notification-preferences'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { changePreferences, holdsConfirmedEmail } from './preference-store.ts'

export const updateNotificationPreferences: Handler<typeof declared> = async ({ db }, { caller, body }) => {
  const wantsMail = emailKeys.some((key) => body[key] === true)
  const saved = await db.transaction().execute(async (tx) => {
    if (wantsMail && !(await holdsConfirmedEmail(tx, caller.accountId))) refuse(emailNotConfirmed)
    return changePreferences(tx, caller.accountId, body)
  })
  return { status: 200, body: saved }
}

import {
  type updateNotificationPreferences as declared,
  emailKeys,
  emailNotConfirmed,
  preferenceKeys,
} from '@pennypost/contract/notification-preferences'
import { refuse } from '../platform/http/refuse.ts'
import { changePreferences, lockConfirmedEmail, lockPreferences } from './preference-store.ts'
import type { Handler } from './services.ts'

export const updateNotificationPreferences: Handler<typeof declared> = async ({ db }, { caller, body }) => {
  const turnedOn = emailKeys.filter((key) => body[key] === true)
  const saved = await db.transaction().execute(async (tx) => {
    if (turnedOn.length > 0 && (await lockConfirmedEmail(tx, caller.accountId)) === undefined) {
      // A form sends all switches back, including email switches that are already on. Those do not change anything, so
      // allow them.
      const isWholeRow = preferenceKeys.every((key) => body[key] !== undefined)
      const current = await lockPreferences(tx, caller.accountId)
      if (!isWholeRow || turnedOn.some((key) => !current[key])) refuse(emailNotConfirmed)
    }
    return changePreferences(tx, caller.accountId, body)
  })
  return { status: 200, body: saved }
}

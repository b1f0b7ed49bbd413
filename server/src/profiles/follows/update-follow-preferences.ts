import { type updateFollowPreferences as declared, followNotFound } from '@pennypost/contract/follows'
import { emailNotConfirmed } from '@pennypost/contract/notification-preferences'
import { lockConfirmedEmail } from '../../notifications/preference-store.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { changeOwnFollow, findOwnFollow } from './follow-store.ts'
import { followPreferencesView } from './follow-view.ts'

export const updateFollowPreferences: Handler<typeof declared> = async ({ db }, { caller, params, body }) => {
  const follow = await db.transaction().execute(async (tx) => {
    const before = (await findOwnFollow(tx, caller.accountId, params.followId)) ?? refuse(followNotFound)
    // A client may send back all preferences as it read them. Email that is already on then needs no confirmed address.
    const isWhole = Object.keys(followPreferencesView(before)).every((key) => Object.hasOwn(body, key))
    const turnsEmailOn = body.notify_channel_email === true && !(isWhole && before.notify_channel_email)
    if (turnsEmailOn && (await lockConfirmedEmail(tx, caller.accountId)) === undefined) refuse(emailNotConfirmed)
    return (await changeOwnFollow(tx, caller.accountId, params.followId, body)) ?? refuse(followNotFound)
  })
  return { status: 200, body: followPreferencesView(follow) }
}

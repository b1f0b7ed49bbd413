import { begin } from '../begin.ts'
import { the } from '../dom.ts'
import { someone } from '../session.ts'
import { showEmail } from '../settings/email.ts'
import { showFeed } from '../settings/feed.ts'
import { showKeys } from '../settings/keys.ts'
import { showPreferences } from '../settings/preferences.ts'
import { showProfile } from '../settings/profile.ts'
import { showReceiving } from '../settings/receiving.ts'
import { showSessions } from '../settings/sessions.ts'
import { showWallets } from '../settings/wallets.ts'

const sections: Readonly<Record<string, () => Promise<void>>> = {
  profile: showProfile,
  receiving: showReceiving,
  email: showEmail,
  wallets: showWallets,
  notifications: showPreferences,
  feed: showFeed,
  sessions: showSessions,
  keys: showKeys,
}

await begin(async () => {
  await someone()
  await sections[the('main').dataset.section ?? '']?.()
})

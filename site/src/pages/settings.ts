import { getElement } from '../dom.ts'
import { loadPage } from '../load-page.ts'
import { requireAccount } from '../session.ts'
import { showEmail } from '../settings/show-email.ts'
import { showNotificationPreferences } from '../settings/show-notification-preferences.ts'
import { showPayoutAddresses } from '../settings/show-payout-addresses.ts'
import { showPrivateFeed } from '../settings/show-private-feed.ts'
import { showProfileSettings } from '../settings/show-profile-settings.ts'
import { showPublishingKeys } from '../settings/show-publishing-keys.ts'
import { showSessions } from '../settings/show-sessions.ts'
import { showWallets } from '../settings/show-wallets.ts'

const sections: Readonly<Record<string, () => Promise<void>>> = {
  profile: showProfileSettings,
  receiving: showPayoutAddresses,
  email: showEmail,
  wallets: showWallets,
  notifications: showNotificationPreferences,
  feed: showPrivateFeed,
  sessions: showSessions,
  keys: showPublishingKeys,
}

await loadPage(async () => {
  await requireAccount()
  await sections[getElement('main').dataset.section ?? '']?.()
})

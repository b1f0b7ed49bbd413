import { getElement } from '../get-element.ts'
import type { Children } from '../jsx/markup.ts'
import { requireAccount } from '../session.ts'
import { ConnectedPrograms, loadPrograms } from '../settings/connected-programs.tsx'
import { Email, loadEmail } from '../settings/email.tsx'
import { loadPreferences, Preferences } from '../settings/notification-preferences.tsx'
import { loadPayoutAddresses, PayoutAddresses } from '../settings/payout-addresses.tsx'
import { loadPersonalData, PersonalData } from '../settings/personal-data.tsx'
import { loadPrivateFeed, PrivateFeed } from '../settings/private-feed.tsx'
import { loadProfile, ProfileSettings } from '../settings/profile.tsx'
import { loadKeys, PublishingKeys } from '../settings/publishing-keys.tsx'
import { loadSessions, Sessions } from '../settings/sessions.tsx'
import { loadWallets, Wallets } from '../settings/wallets.tsx'
import { loadWebhooks, Webhooks } from '../settings/webhooks.tsx'
import { showPage } from '../ui/show-page.tsx'

const sections: Readonly<Record<string, () => Promise<Children>>> = {
  profile: async () => <ProfileSettings first={await loadProfile()} />,
  receiving: async () => <PayoutAddresses first={await loadPayoutAddresses()} />,
  email: async () => <Email first={await loadEmail()} />,
  wallets: async () => <Wallets first={await loadWallets()} />,
  notifications: async () => <Preferences first={await loadPreferences()} />,
  feed: async () => <PrivateFeed first={await loadPrivateFeed()} />,
  sessions: async () => <Sessions first={await loadSessions()} />,
  keys: async () => <PublishingKeys first={await loadKeys()} />,
  programs: async () => <ConnectedPrograms first={await loadPrograms()} />,
  webhooks: async () => <Webhooks first={await loadWebhooks()} />,
  data: async () => <PersonalData first={await loadPersonalData()} />,
}

await showPage(async () => {
  await requireAccount()
  return sections[getElement('main').dataset.section ?? '']?.()
})

import { isDefaultName } from '@pennypost/contract/handle'
import type { Blocker } from '@pennypost/contract/me'
import type { Profile } from '@pennypost/contract/profiles'
import { isGeneratedHandle } from '../accounts/account-store.ts'

type SocialLinks = Profile['socialLinks']

/** The tip options of an account that has set none. */
export const defaultTipping: Profile['tipping'] = { buttonLabel: 'Tip author', amounts: [0.25, 0.5, 1] }

/** Normalizes links for saving. A label becomes `X` or `Custom`, and only the first link of each label is kept. */
export function normalizeSocialLinks(links: readonly { readonly label: string; readonly url: string }[]): SocialLinks {
  const labelled = links.map(({ label, url }) => ({
    label: isX(label, url) ? ('X' as const) : ('Custom' as const),
    url,
  }))
  return labelled.filter((link, index) => index === labelled.findIndex(({ label }) => label === link.label))
}

// "X / Twitter" and "Twitter (X)" mean X; "Project X" does not.
function isX(label: string, url: string): boolean {
  const words = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const saysX = words.length > 0 && words.every((word) => word === 'x' || word === 'twitter')
  return saysX || /^((www|mobile)\.)?(x|twitter)\.com$/.test(new URL(url).hostname)
}

/** Lists what is still provisional about an account: the name and handle that it got when it was created. */
export function profileBlockers({ name, handle }: { readonly name: string; readonly handle: string }): Blocker[] {
  const blockers: Blocker[] = []
  if (isDefaultName(name)) blockers.push({ code: 'profile-incomplete', field: 'name', message: 'Choose a name first.' })
  if (isGeneratedHandle(handle))
    blockers.push({ code: 'profile-incomplete', field: 'handle', message: 'Choose a handle first.' })
  return blockers
}

/** Lists what an account must do before it can publish. Empty if it can publish now. */
export function publicationBlockers(account: {
  readonly name: string
  readonly handle: string
  /** Whether there is an address on either rail: a free post can use any. */
  readonly hasReceivingAddress: boolean
}): Blocker[] {
  const blockers = profileBlockers(account)
  if (!account.hasReceivingAddress)
    blockers.push({
      code: 'receiving-address-required',
      field: 'receivingAddress',
      message: 'Save a Nano or Base receiving address first.',
    })
  return blockers
}

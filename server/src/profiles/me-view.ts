import type { KeyCaller, OwnerCaller } from '@pennypost/contract/credential'
import type { Me } from '@pennypost/contract/me'
import type { ProfileRow } from '../accounts/caller-account.ts'
import { walletViews } from '../accounts/wallets/wallet-view.ts'
import { publicationBlockers } from './profile-rules.ts'
import { profileView } from './profile-view.ts'
import type { ProfileServices } from './services.ts'

/**
 * The caller's account, limited to what the credential may see. A publishing key sees no email, wallets, finance or
 * addresses. They are not even read from the database for it.
 */
export const meView = (caller: OwnerCaller | KeyCaller, quota: ProfileServices['draftQuota'], origin: string): Me => ({
  ...(caller.kind === 'publishing-key' ? keyView(caller, origin) : ownerView(caller, origin)),
  limits: { ...limits, drafts: quota.count, draftBytes: quota.bytes },
})

type MeWithoutLimits = Omit<Me, 'limits'>

function keyView(caller: KeyCaller, origin: string): MeWithoutLimits {
  const { account, programScopes } = caller
  return {
    ...shared(account, account.receives_nano || account.receives_base, origin),
    credential: credentialView(caller),
    receiving: { nano: { configured: account.receives_nano }, base: { configured: account.receives_base } },
    // The authority of this credential, not of the account: no key can do what an administrator may do.
    authority: {
      canPublish: programScopes?.includes('publish') ?? true,
      canReadFinance: programScopes?.includes('earnings') ?? false,
      canManageKeys: false,
      isAdmin: false,
    },
    actions: { postAttachments },
  }
}

const credentialView = ({ keyId, programScopes, expiresAt: date }: KeyCaller): Me['credential'] => {
  const expiresAt = date?.toISOString() ?? null
  return programScopes
    ? { kind: 'program', scope: programScopes.join(' '), keyId: null, expiresAt }
    : { kind: 'publishing-key', scope: 'posts:publish', keyId, expiresAt }
}

function ownerView({ account, expiresAt }: OwnerCaller, origin: string): MeWithoutLimits {
  return {
    ...shared(account, account.nano_address !== null || account.base_address !== null, origin),
    credential: { kind: 'owner-session', scope: 'owner', keyId: null, expiresAt: expiresAt.toISOString() },
    email: account.email,
    // An account has an address only once it is confirmed.
    emailVerified: account.email !== null,
    walletAddresses: walletViews(account.wallets),
    receiving: {
      nano: receivingView(account.nano_address, account.nano_updated_at),
      base: receivingView(account.base_address, account.base_updated_at),
    },
    // Publishing routes need a publishing key. An owner token does not replace it.
    authority: { canPublish: false, canReadFinance: true, canManageKeys: true, isAdmin: account.is_admin },
    actions: { postAttachments, finance },
  }
}

function shared(account: ProfileRow, hasReceivingAddress: boolean, origin: string) {
  const blockers = publicationBlockers({ name: account.name, handle: account.handle, hasReceivingAddress })
  return {
    id: account.id,
    profile: profileView(account, origin),
    publication: { ready: blockers.length === 0, blockers },
  }
}

const receivingView = (address: string | null, updatedAt: Date | null) => ({
  configured: address !== null,
  payoutAddress: address,
  addressUpdatedAt: updatedAt?.toISOString() ?? null,
})

const attachments = '/api/v1/posts/{postId}/attachments'

const postAttachments: Me['actions']['postAttachments'] = {
  list: { method: 'GET', path: attachments },
  reserve: { method: 'POST', path: `${attachments}/uploads` },
  lookup: { method: 'GET', path: `${attachments}/uploads` },
  transport: { method: 'POST', path: `${attachments}/uploads/{operationId}/transport` },
  complete: { method: 'POST', path: `${attachments}/uploads/{operationId}/complete` },
  edit: { method: 'PATCH', path: `${attachments}/{assetId}` },
  remove: { method: 'DELETE', path: `${attachments}/{assetId}` },
  download: { method: 'GET', path: `${attachments}/{assetId}/download` },
}

const finance: Me['actions']['finance'] = {
  transactions: { method: 'GET', path: '/api/v1/transactions' },
  earnings: { method: 'GET', path: '/api/v1/earnings' },
  payouts: { method: 'GET', path: '/api/v1/payouts' },
}

/** The limits for one account, so that clients need not hard-code them. */
const limits: Me['limits'] = {
  activeKeys: 5,
  keyLifetimeDays: 90,
  nameCharacters: 50,
  handleCharacters: 30,
  bioCharacters: 250,
  locationCharacters: 80,
  socialLinks: 2,
  socialLabelCharacters: 40,
  tipLabelCharacters: 40,
  tipAmounts: 3,
  tagsPerPost: 10,
  tagCharacters: 64,
  imageBytes: 2_097_152,
  inlineImageBytes: 5_242_880,
  unfinishedImageOperations: 10,
  stagedImageBytes: 26_214_400,
  uploadsPerMinute: 10,
  uploadsPerDay: 100,
  uploadBytesPerDay: 262_144_000,
  postAttachments: 3,
  attachmentBytes: 10_485_760,
  attachmentPartBytes: 5_242_880,
  profileAttachmentBytes: 104_857_600,
  attachmentFilenameCharacters: 128,
  attachmentDescriptionCharacters: 500,
  commentCharacters: 2000,
  mentionsPerComment: 5,
}

import type { KeyCaller, OwnerCaller } from '@pennypost/contract/credential'
import type { Me } from '@pennypost/contract/me'
import { publicationBlockers } from './profile-rules.ts'
import type { MeRow } from './profile-store.ts'
import { profileView } from './profile-view.ts'

/**
 * Who is calling, as the credential may know it. §5.2: a Publishing key sees no email, no finance and no address, so
 * what it gets is built up from what it may see, never cut down from what the owner sees.
 */
export function meView(row: MeRow, caller: OwnerCaller | KeyCaller): Me {
  const hasReceivingAddress = row.nano_address !== null || row.base_address !== null
  const blockers = publicationBlockers({ name: row.name, handle: row.handle, hasReceivingAddress })
  const shared = {
    id: row.id,
    profile: profileView(row),
    limits,
    publication: { ready: blockers.length === 0, blockers },
  }
  const expiresAt = caller.expiresAt?.toISOString() ?? null
  if (caller.kind === 'publishing-key') {
    return {
      ...shared,
      credential: { kind: caller.kind, scope: 'posts:publish', keyId: caller.keyId, expiresAt },
      receiving: {
        nano: { configured: row.nano_address !== null },
        base: { configured: row.base_address !== null },
      },
      // Of this credential, not of the account: no key reaches what an administrator may do.
      authority: { canPublish: true, canReadFinance: false, canManageKeys: false, isAdmin: false },
      actions: { postAttachments },
    }
  }
  return {
    ...shared,
    credential: { kind: caller.kind, scope: 'owner', keyId: null, expiresAt },
    email: row.email,
    emailVerified: row.email_confirmed_at !== null,
    walletAddresses: [],
    receiving: {
      nano: receivingView(row.nano_address, row.nano_updated_at),
      base: receivingView(row.base_address, row.base_updated_at),
    },
    // §5.1: an owner session does not replace a Publishing key on publishing routes.
    authority: { canPublish: false, canReadFinance: true, canManageKeys: true, isAdmin: row.is_admin },
    actions: { postAttachments, finance },
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

/** §8, as far as it concerns one account. */
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

import type { AdminAccount } from '@pennypost/contract/admin-accounts'
import type { Account } from '../accounts/account-store.ts'

export const adminAccountView = (account: Account): AdminAccount => ({
  id: account.id,
  handle: account.handle,
  name: account.name,
  authorKind: account.author_kind,
  isAdmin: account.is_admin,
  isAnonymous: account.is_anonymous,
  createdAt: account.created_at.toISOString(),
  suspendedAt: account.suspended_at?.toISOString() ?? null,
})

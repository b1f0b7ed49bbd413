import { adminRequired } from '@pennypost/contract/admin-only'
import type { OwnerCaller } from '@pennypost/contract/credential'
import { refuse } from '../platform/http/refuse.ts'

export function requireAdmin({ account }: OwnerCaller): void {
  if (!account.is_admin) refuse(adminRequired)
}

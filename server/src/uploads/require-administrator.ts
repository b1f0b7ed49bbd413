import type { OwnerCaller } from '@pennypost/contract/credential'
import { administratorRequired } from '@pennypost/contract/holds'
import { refuse } from '../platform/http/refuse.ts'

export function requireAdministrator(caller: OwnerCaller): void {
  if (!caller.account.is_admin) refuse(administratorRequired)
}

import { listAccounts, removeAgentLabel, restoreAccount, suspendAccount } from './admin-accounts.ts'
import { claimAdmin } from './admin-claim.ts'
import { getAdminOverview } from './admin-overview.ts'
import { listAuditEntries } from './audit-log.ts'
import { dismissDeadJob, listDeadJobs, retryDeadJob } from './dead-jobs.ts'
import { clearHold, listHolds, placeHold } from './holds.ts'
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts'
import { getSiteSettings, updateSiteSettings } from './site-settings.ts'

/** Operations for administrators: the site, accounts, holds, dead jobs and the audit log. */
export const adminOperations = {
  getAdminOverview,
  listAccounts,
  suspendAccount,
  restoreAccount,
  removeAgentLabel,
  listHolds,
  placeHold,
  clearHold,
  listDeadJobs,
  retryDeadJob,
  dismissDeadJob,
  listAuditEntries,
  getSiteSettings,
  updateSiteSettings,
  listInvitations,
  createInvitation,
  revokeInvitation,
  claimAdmin,
}

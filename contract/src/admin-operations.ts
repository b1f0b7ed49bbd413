import { listAccounts, removeAgentLabel, restoreAccount, suspendAccount } from './admin-accounts.ts'
import { listAuditEntries } from './audit-log.ts'
import { dismissDeadJob, listDeadJobs, retryDeadJob } from './dead-jobs.ts'
import { clearHold, listHolds, placeHold } from './holds.ts'

/** What administrators do about accounts, holds and dead jobs, and the audit log. */
export const adminOperations = {
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
}

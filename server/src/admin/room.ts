import type { adminOperations } from '@pennypost/contract/admin-operations'
import type { Room } from '../platform/room.ts'
import { removeAgentLabel, restoreAccount, suspendAccount } from './administer-account.ts'
import { claimAdmin } from './claim-admin.ts'
import { clearHold } from './clear-hold.ts'
import { getAdminOverview } from './get-admin-overview.ts'
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts'
import { listAccounts } from './list-accounts.ts'
import { listAuditEntries } from './list-audit-entries.ts'
import { listDeadJobs } from './list-dead-jobs.ts'
import { listHolds } from './list-holds.ts'
import { placeHold } from './place-hold.ts'
import { dismissDeadJob, retryDeadJob } from './resolve-dead-job.ts'
import type { AdminServices } from './services.ts'
import { getSiteSettings, updateSiteSettings } from './site-settings.ts'

export const adminRoom: Room<typeof adminOperations, AdminServices> = {
  handlers: {
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
  },
  jobs: [],
}

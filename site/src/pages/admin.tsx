import { getAdminOverview } from '@pennypost/contract/admin-overview'
import { listInvitations } from '@pennypost/contract/invitations'
import { getSiteSettings } from '@pennypost/contract/site-settings'
import { Accounts, loadAccounts } from '../admin/accounts.tsx'
import { AuditLog, loadAuditLog } from '../admin/audit-log.tsx'
import { DeadJobs, loadDeadJobs } from '../admin/dead-jobs.tsx'
import { Holds, loadHolds } from '../admin/holds.tsx'
import { Invitations } from '../admin/invitations.tsx'
import { loadObligations, Obligations } from '../admin/obligations.tsx'
import { Overview } from '../admin/overview.tsx'
import { loadReports, Reports } from '../admin/reports.tsx'
import { SiteSettingsForm } from '../admin/site-settings.tsx'
import { callApi } from '../call-api.ts'
import { getElement } from '../get-element.ts'
import type { Children } from '../jsx/markup.ts'
import { requireAccount } from '../session.ts'
import { showPage } from '../ui/show-page.tsx'

const sections: Readonly<Record<string, () => Promise<Children>>> = {
  overview: async () => <Overview overview={await callApi(getAdminOverview, {})} />,
  site: async () => <SiteSettingsForm settings={await callApi(getSiteSettings, {})} />,
  invitations: async () => <Invitations first={(await callApi(listInvitations, {})).invitations} />,
  reports: async () => <Reports first={await loadReports('open')} />,
  accounts: async () => <Accounts first={await loadAccounts('')} />,
  holds: async () => <Holds first={await loadHolds()} />,
  obligations: async () => <Obligations first={await loadObligations('blocked')} />,
  jobs: async () => <DeadJobs first={await loadDeadJobs()} />,
  audit: async () => <AuditLog first={await loadAuditLog()} />,
}

await showPage(async () => {
  const { isAdmin } = await requireAccount()
  if (!isAdmin) return <p class="empty">This page is for administrators.</p>
  return sections[getElement('main').dataset.section ?? '']?.()
})

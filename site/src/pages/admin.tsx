import { listInvitations } from '@pennypost/contract/invitations'
import { getSiteSettings } from '@pennypost/contract/site-settings'
import { Invitations } from '../admin/invitations.tsx'
import { showAccounts } from '../admin/show-accounts.ts'
import { showAuditLog } from '../admin/show-audit-log.ts'
import { showDeadJobs } from '../admin/show-dead-jobs.ts'
import { showHolds } from '../admin/show-holds.ts'
import { showObligations } from '../admin/show-obligations.ts'
import { showReports } from '../admin/show-reports.ts'
import { SiteSettingsForm } from '../admin/site-settings.tsx'
import { callApi } from '../call-api.ts'
import { getElement, h } from '../dom.ts'
import { loadPage } from '../load-page.ts'
import { requireAccount } from '../session.ts'
import { showView } from '../show-view.ts'
import { toElement } from '../ui/dom-bridge.tsx'

const sections: Readonly<Record<string, () => Promise<void>>> = {
  site: async () => showView(toElement(<SiteSettingsForm settings={await callApi(getSiteSettings, {})} />)),
  invitations: async () =>
    showView(toElement(<Invitations first={(await callApi(listInvitations, {})).invitations} />)),
  reports: showReports,
  accounts: showAccounts,
  holds: showHolds,
  obligations: showObligations,
  jobs: showDeadJobs,
  audit: showAuditLog,
}

await loadPage(async () => {
  const { isAdmin } = await requireAccount()
  if (isAdmin) await sections[getElement('main').dataset.section ?? '']?.()
  else showView(h('p', { class: 'empty' }, 'This is for administrators.'))
})

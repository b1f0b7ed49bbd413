import { showAccounts } from '../admin/show-accounts.ts'
import { showAuditLog } from '../admin/show-audit-log.ts'
import { showDeadJobs } from '../admin/show-dead-jobs.ts'
import { showHolds } from '../admin/show-holds.ts'
import { showObligations } from '../admin/show-obligations.ts'
import { showReports } from '../admin/show-reports.ts'
import { getElement, h } from '../dom.ts'
import { loadPage } from '../load-page.ts'
import { requireAccount } from '../session.ts'
import { showView } from '../show-view.ts'

const sections: Readonly<Record<string, () => Promise<void>>> = {
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

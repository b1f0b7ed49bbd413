import { showAccounts } from '../admin/accounts.ts'
import { showAudit } from '../admin/audit.ts'
import { showHolds } from '../admin/holds.ts'
import { showJobs } from '../admin/jobs.ts'
import { showObligations } from '../admin/obligations.ts'
import { showReports } from '../admin/reports.ts'
import { begin } from '../begin.ts'
import { h, show, the } from '../dom.ts'
import { someone } from '../session.ts'

const sections: Readonly<Record<string, () => Promise<void>>> = {
  reports: showReports,
  accounts: showAccounts,
  holds: showHolds,
  obligations: showObligations,
  jobs: showJobs,
  audit: showAudit,
}

await begin(async () => {
  const { isAdmin } = await someone()
  if (isAdmin) await sections[the('main').dataset.section ?? '']?.()
  else show(h('p', { class: 'empty' }, 'This is for administrators.'))
})

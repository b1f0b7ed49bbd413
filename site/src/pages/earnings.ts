import { getElement } from '../dom.ts'
import { showOverview } from '../earnings/show-overview.ts'
import { showPayouts } from '../earnings/show-payouts.ts'
import { showTransactions } from '../earnings/show-transactions.ts'
import { loadPage } from '../load-page.ts'
import { requireAccount } from '../session.ts'

const sections: Readonly<Record<string, () => Promise<void>>> = {
  overview: showOverview,
  transactions: showTransactions,
  payouts: showPayouts,
}

await loadPage(async () => {
  await requireAccount()
  await sections[getElement('main').dataset.section ?? '']?.()
})

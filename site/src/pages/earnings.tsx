import { loadOverview, Overview } from '../earnings/overview.tsx'
import { loadPayouts, Payouts } from '../earnings/payouts.tsx'
import { loadTransactions, Transactions } from '../earnings/transactions.tsx'
import { getElement } from '../get-element.ts'
import type { Children } from '../jsx/markup.ts'
import { requireAccount } from '../session.ts'
import { showPage } from '../ui/show-page.tsx'

const sections: Readonly<Record<string, () => Promise<Children>>> = {
  overview: async () => <Overview first={await loadOverview()} />,
  transactions: async () => <Transactions first={await loadTransactions()} />,
  payouts: async () => <Payouts first={await loadPayouts()} />,
}

await showPage(async () => {
  await requireAccount()
  return sections[getElement('main').dataset.section ?? '']?.()
})

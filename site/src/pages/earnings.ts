import { begin } from '../begin.ts'
import { the } from '../dom.ts'
import { showOverview } from '../earnings/overview.ts'
import { showPayouts } from '../earnings/payouts.ts'
import { showTransactions } from '../earnings/transactions.ts'
import { someone } from '../session.ts'

const sections: Readonly<Record<string, () => Promise<void>>> = {
  overview: showOverview,
  transactions: showTransactions,
  payouts: showPayouts,
}

await begin(async () => {
  await someone()
  await sections[the('main').dataset.section ?? '']?.()
})

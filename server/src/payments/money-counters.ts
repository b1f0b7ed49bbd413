import type { Metrics } from '../platform/metrics.ts'

// Prometheus counters of money. They are incremented when money is booked, so a transaction that fails afterwards is
// counted too. The ledger is exact; these only show the volume.

export type MoneyCounters = ReturnType<typeof createMoneyCounters>

export const createMoneyCounters = ({ counter, gauge }: Metrics) => ({
  sales: counter('sales', 'Purchases and tips that were paid, by asset.', ['asset', 'kind']),
  volume: counter('sales_amount', 'What was paid for purchases and tips, in whole XNO and USDC.', ['asset']),
  payouts: counter('payouts', 'Nano payouts, by role and outcome.', ['role', 'outcome']),
  arrivals: counter('nano_arrivals', 'Confirmed Nano payments to our addresses: for an order, or sent back.', ['use']),
  lossAt: gauge(
    'database_loss_timestamp_seconds',
    'When this process last found that the database lacks what the journal has, 0: never.',
  ),
  unrecoverable: gauge(
    'unrecoverable_records',
    'Records of the journal of this process that the database lost and that cannot be recovered, until a person acknowledges them.',
  ),
})

import { readConfig } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/database/database.ts'
import { openListener } from '../platform/database/listener.ts'
import { armFaultPoints } from '../platform/fault-point.ts'
import { startWorker } from '../platform/jobs/worker.ts'
import { createLog } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { openNano } from '../rails/nano/nano.ts'
import { createMoneyCounters } from './money-counters.ts'
import { closeOrder } from './orders/order-lifecycle.job.ts'
import { sendLowPriorityPayouts, sendPayouts } from './payouts/payouts.job.ts'
import { resumePayouts } from './payouts/resume-payouts.job.ts'
import { watchAddresses } from './receive-arrivals.ts'
import type { PaymentServices } from './services.ts'
import { openSigning } from './signing/open-signing.ts'

// The part of a worker that moves money, with its real parts and nothing else. Dies as if by kill -9 when it reaches a
// fault point for the n-th time.

const [settings, databaseUrl, point, times] = process.argv.slice(2)
let left = Number(times)
if (point) {
  armFaultPoints((name) => {
    if (name !== point) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  })
}
const config = readConfig(JSON.parse(settings!))
const log = createLog('silent')
const clock = systemClock()
const metrics = createMetrics()
const { db, pool } = openDatabase(databaseUrl!, log)
const nano = openNano(config, { clock, log })
const { addresses, signer } = await openSigning({ config, db, pool, clock, log, metrics, nano })
const services: PaymentServices = {
  config,
  log,
  clock,
  metrics,
  moneyCounters: createMoneyCounters(metrics),
  db,
  pool,
  nano,
  addresses,
  signer,
  listener: openListener(databaseUrl!, log, { applicationName: 'pennypost listener' }),
} as unknown as PaymentServices
const jobs = [sendPayouts, sendLowPriorityPayouts, resumePayouts, closeOrder]
await startWorker({ jobs, services, pool, clock, log, metrics }, databaseUrl!)
watchAddresses(services).start()

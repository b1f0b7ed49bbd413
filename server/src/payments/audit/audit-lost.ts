import { lostRecords, nameOf, nameOfStray } from '../recovery/recover.ts'
import { listRuns, scanRun } from '../recovery/scan-runs.ts'
import { readSetAsides } from '../recovery/set-aside.ts'
import type { PaymentServices } from '../services.ts'
import type { Finding } from './run-checks.ts'

const newestRuns = 20
const gap = 100

/**
 * Finds what the books lost: orders and payments that are only in the journal, and money at addresses after the last known
 * one. Both mean that the database was restored or failed over; `pennypost recover` brings them back. A finding that it
 * cannot resolve is repeated until a person acknowledges it.
 */
export async function auditLost(
  services: Pick<PaymentServices, 'config' | 'db' | 'addresses' | 'nano'>,
  /** Journals that were not written to since then are left out: an earlier audit compared them. */
  since?: Date,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const lost = new Set<string>()
  const setAsides = await readSetAsides(services)
  const find = (name: string, what: string, remedy: string) => {
    const { state, reason } = setAsides.get(name) ?? {}
    if (state !== 'acknowledged')
      findings.push(state === 'waits' ? `${what}, and waits for a person: ${reason}` : `${what}: ${remedy}`)
  }
  for await (const record of lostRecords(services, since)) {
    const name = nameOf(record)
    // Nobody knows yet of money that came after a person acknowledged it.
    if (record.address && setAsides.get(name)?.state !== 'acknowledged') lost.add(record.address.address)
    find(name, `${name} is in the journal and not in the books`, 'pennypost recover brings it back')
  }
  for (const start of await listRuns(services.db, newestRuns)) {
    for await (const stray of scanRun(services, start, gap)) {
      if (lost.has(stray.address)) continue
      const name = nameOfStray(stray)
      find(name, `${name} is not in the books`, 'pennypost recover sends it back')
    }
  }
  return findings
}

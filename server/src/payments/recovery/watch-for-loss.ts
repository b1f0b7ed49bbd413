import { setTimeout as wait } from 'node:timers/promises'
import { readJournals } from '../../platform/journal.ts'
import type { PaymentServices } from '../services.ts'
import { JournalRecord } from './journal-record.ts'
import { nameOf, type Recovery, recover } from './recover.ts'
import { listLost, recoverRecord } from './recover-record.ts'
import { isGivenUp, isSetAside, readSetAsides, type SetAsides, setAside, waitingIn } from './set-aside.ts'

export interface LossWatcher {
  stop(): Promise<void>
}

const newestRecords = 1_000
const maxWaiting = 10_000
const maxRetries = 100
const maxPauseMs = 3_600_000

/**
 * Notices that the database has lost records: it was restored from a backup, or a standby took over that had not received
 * everything. Then it recovers them. Checks at the start and every half minute, because a standby can take over while
 * processes are running. What cannot be recovered is counted until a person acknowledges it, but logged only once.
 */
export function watchForLoss(services: PaymentServices, { everyMs = 30_000 } = {}): LossWatcher {
  const { clock, config, db, journal, log, moneyCounters } = services
  const stopping = new AbortController()
  let setAsides: SetAsides | undefined
  let readAt = clock.now()
  /** Records that wait for a person, by their names, and when each is tried again. */
  const waiting = new Map<
    string,
    { readonly record: JournalRecord; readonly pauseMs: number; readonly nextAt: number }
  >()

  function tryLater(name: string, record: JournalRecord, pauseMs: number): void {
    if (waiting.size < maxWaiting) waiting.set(name, { record, pauseMs, nextAt: performance.now() + pauseMs })
  }

  /** `pennypost recover` writes into a journal, too. While nothing waits for a person, there is nothing to read. */
  async function readStates(): Promise<SetAsides> {
    const now = clock.now()
    if (!setAsides) setAsides = await readSetAsides(services)
    else if (waitingIn(setAsides).length > 0) {
      // A little earlier, because clocks of file systems are coarse.
      const since = new Date(readAt.getTime() - 1_000)
      setAsides = await readSetAsides(services, { since, known: setAsides })
    }
    readAt = now
    moneyCounters.unrecoverable.set(waitingIn(setAsides).length)
    return setAsides
  }

  async function check(records: readonly unknown[], isFirst: boolean): Promise<void> {
    const before = await readStates()
    const known = records.flatMap((record) => {
      const read = JournalRecord.safeParse(JSON.parse(JSON.stringify(record)))
      return read.success ? [read.data] : []
    })
    const lost = await listLost(db, known)
    const isNews = lost.some((record) => !isGivenUp(before, nameOf(record)))
    // At the start, what was given up is tried again: a better backup may have been restored, and then it is over.
    const isTriedAgain = isFirst && (lost.length > 0 || waitingIn(before).length > 0)
    if (!isNews && !isTriedAgain) return retry(before)
    if (isNews) {
      moneyCounters.lossAt.set(clock.now().getTime() / 1000)
      log.error({}, 'records are missing from the database: it was restored or failed over; recovering them')
    }
    const found = await recover(services, { onWaiting: (name, record) => tryLater(name, record, everyMs) })
    report(found, isNews)
    setAsides = undefined
    await readStates()
  }

  /** An error only if there is something new that a person has to look at. */
  function report(found: Recovery, isNews: boolean): void {
    if (found.unrecoverable.length > 0)
      log[isNews ? 'error' : 'warn'](
        { ...found },
        'some of what is missing from the database cannot be recovered and waits for a person: run pennypost recover',
      )
    else if (found.recovered + found.returning > 0)
      log.warn({ ...found }, 'recovered what was missing from the database')
    // Another process was first, or a person knows of what is missing.
    else log.info({ ...found }, 'nothing is left to recover')
  }

  /**
   * Tries again what waits for a person, because it may no longer need one: a node may have been behind, and the payment
   * of a transaction may be in the journal of another machine, which recovers it later than we recover this.
   */
  async function retry(before: SetAsides): Promise<void> {
    const due = [...waiting].filter(([, { nextAt }]) => nextAt <= performance.now()).slice(0, maxRetries)
    for (const [name, { record, pauseMs }] of due) {
      if (stopping.signal.aborted) return
      waiting.delete(name)
      const { state, reason } = before.get(name) ?? {}
      if (state !== 'waits') continue
      tryLater(name, record, Math.min(2 * pauseMs, maxPauseMs))
      const outcome = await recoverRecord(services, record)
      const now = outcome.kind === 'unrecoverable' ? outcome.reason : reason!
      const isLost = (await listLost(db, [record])).length > 0
      if (!isLost || now !== reason)
        await setAside(services, { setAside: name, state: isLost ? 'waits' : 'over', reason: now })
      if (!isLost) waiting.delete(name)
    }
  }

  async function run(): Promise<void> {
    // Until it succeeds once: what a process before us wrote is not in `latest`.
    let isFirst = true
    while (!stopping.signal.aborted) {
      try {
        await check(isFirst ? await readNewest(config.dataDir) : journal.latest(), isFirst)
        isFirst = false
      } catch (error) {
        log.warn(
          { cause: (error as Error).message },
          'could not yet look for records that the database has lost, or recover them',
        )
      }
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** The last records of all journals: what a restored database lacks first. */
async function readNewest(dataDir: string): Promise<unknown[]> {
  let newest: unknown[] = []
  for await (const record of readJournals(dataDir)) {
    if (!isSetAside(record)) newest.push(record)
    if (newest.length >= 2 * newestRecords) newest = newest.slice(-newestRecords)
  }
  return newest
}

import type pg from 'pg'
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { ReadinessProblem } from '../../platform/readiness.ts'
import { readFirstAddress } from '../nano/custody/open-keyring.ts'
import { MalformedReply, NodeUnreachable, SignerSecretRefused } from '../node-errors.ts'
import type { SignerClient, SignerStatus } from './signer-client.ts'
import { isOfOtherDatabase } from './signer-database.ts'

/** Keeps checking whether the signer can be used, for readiness, and logs when that changes. */
export interface SignerMonitor {
  /** Asks the signer now. Throws a ReadinessProblem that says why it cannot be used. */
  check(): Promise<void>
  /** Checks now and every few seconds, so that the log has it even if nobody asks for readiness. */
  start(): void
  stop(): void
}

const everyMs = 10_000
// Shorter than a readiness check may take: otherwise that would be over before the cause is known.
const replyMs = 1_500

interface Parts {
  readonly signer: Pick<SignerClient, 'status'>
  readonly db: Db
  readonly pool: Pick<pg.Pool, 'query'>
  readonly log: Log
}

export function createSignerMonitor({ signer, db, pool, log }: Parts): SignerMonitor {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined
  /** The problem that was logged last. Undefined while there is none. */
  let logged: string | undefined
  /** The first address of this database's seed. It never changes. */
  let first: string | undefined

  async function checkOnce(): Promise<void> {
    let problem: string | undefined
    let cause: string | undefined
    let status: SignerStatus | undefined
    try {
      status = await signer.status(AbortSignal.timeout(replyMs))
    } catch (error) {
      problem = explain(error)
      cause = (error as Error).message
    }
    try {
      if (status) problem = await compareDatabase(status)
    } catch {
      // The database is away. That is reported elsewhere, and whether it is the signer's will be known when it is back.
      return
    }
    if (isStopped) return
    if (problem !== logged) {
      if (problem === undefined) log.info({}, 'the signer can be used again')
      else log.warn({ cause }, `the signer cannot be used: ${problem}`)
      logged = problem
    }
    if (problem !== undefined) throw new ReadinessProblem(problem)
  }

  async function compareDatabase(status: SignerStatus): Promise<string | undefined> {
    first ??= await readFirstAddress(db)
    if (first === undefined) return 'no signer was started with this database yet'
    if (first !== status.first) return 'the signer has another seed than this database'
    return (await isOfOtherDatabase(pool, status))
      ? 'the signer is connected to another database, perhaps to a copy of this one; give it the same DATABASE_URL and restart it'
      : undefined
  }

  /** Callers that come together share one check, so that none logs an older state after a newer one. */
  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = undefined
    })
    return checking
  }

  const checkInBackground = (): void => {
    check().catch(() => {}) // it is in the log
  }

  return {
    check,
    start() {
      checkInBackground()
      timer = setInterval(checkInBackground, everyMs)
      timer.unref()
    },
    stop() {
      clearInterval(timer)
      isStopped = true
    },
  }
}

/** Anyone can read the report, so it contains neither the address nor the reply. The log does. */
function explain(error: unknown): string {
  if (error instanceof SignerSecretRefused) return 'SIGNER_SECRET: the signer has another one'
  if (error instanceof MalformedReply) return 'SIGNER_URL: the reply is not one of a signer'
  if (error instanceof NodeUnreachable)
    return error.status === undefined ? 'SIGNER_URL: no reply' : `SIGNER_URL: status ${error.status}`
  return 'the signer cannot sign now'
}

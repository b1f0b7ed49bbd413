import {
  deadJobNotFound,
  type dismissDeadJob as declaredDismissal,
  type retryDeadJob as declaredRetry,
} from '@pennypost/contract/dead-jobs'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { refuse } from '../platform/http/refuse.ts'
import { removeDeadJob, reviveJob } from '../platform/jobs/dead-job-store.ts'
import type { Handler } from './services.ts'

export const retryDeadJob: Handler<typeof declaredRetry> = async ({ db, clock }, { caller, params }) => {
  requireAdmin(caller)
  const { id, name } = await db.transaction().execute(async (tx) => {
    const now = clock.now()
    const job = (await reviveJob(tx, params.jobId, now)) ?? refuse(deadJobNotFound)
    const target = ['job', job.id] as const
    await recordAuditEntry(tx, {
      at: now,
      actorId: caller.accountId,
      act: 'job.retry',
      target,
      details: { name: job.name },
    })
    return job
  })
  return { status: 200, body: { id, name } }
}

export const dismissDeadJob: Handler<typeof declaredDismissal> = async ({ db, clock }, { caller, params }) => {
  requireAdmin(caller)
  const { id, name } = await db.transaction().execute(async (tx) => {
    const job = (await removeDeadJob(tx, params.jobId)) ?? refuse(deadJobNotFound)
    const details = { name: job.name, payload: JSON.stringify(job.payload), lastError: job.last_error ?? '' }
    const target = ['job', job.id] as const
    await recordAuditEntry(tx, { at: clock.now(), actorId: caller.accountId, act: 'job.dismiss', target, details })
    return job
  })
  return { status: 200, body: { id, name } }
}

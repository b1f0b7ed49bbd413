import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger } from './schemas.ts'

// Jobs that failed too often and stopped retrying, until an administrator retries or dismisses them.

const DeadJob = z
  .object({
    id: z.string(),
    name: z.string(),
    payload: z.record(z.string(), z.unknown()).meta({ description: 'The ids of what the job works on.' }),
    attempts: z.number().int(),
    lastError: z.string().nullable(),
    deadAt: DateTime,
  })
  .meta({ id: 'DeadJob' })
export type DeadJob = z.infer<typeof DeadJob>

export const deadJobNotFound = refusal('dead-job-not-found', 404, 'No dead job has this number.')

const params = z.object({ jobId: z.string().regex(/^[0-9]{1,18}$/, 'must be the number of a job') })
const outcome = { 200: z.object({ id: z.string(), name: z.string() }) }
const refusals = [adminRequired, deadJobNotFound]

export const listDeadJobs = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/jobs',
  summary: 'List jobs that stopped retrying, oldest first',
  description: '`lastError` says why the last attempt failed.',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional(),
    }),
  },
  replies: { 200: z.object({ jobs: z.array(DeadJob), pagination: CursorPagination }) },
  refusals: [adminRequired],
})

export const retryDeadJob = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/jobs/{jobId}/retry',
  summary: 'Retry a dead job now, with all its attempts',
  description: 'The job runs as soon as a worker is free. Recorded in the audit log.',
  request: { params },
  replies: outcome,
  refusals,
})

export const dismissDeadJob = endpoint({
  ...adminOnly,
  method: 'DELETE',
  path: '/api/v1/admin/jobs/{jobId}',
  summary: 'Dismiss a dead job',
  description: 'The job is deleted; the audit log keeps its name and ids.',
  request: { params },
  replies: outcome,
  refusals,
})

import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger } from './schemas.ts'

// Promises that could not be kept: jobs that used up their attempts and wait for a person.

const DeadJob = z
  .object({
    id: z.string(),
    name: z.string(),
    payload: z.record(z.string(), z.unknown()).meta({ description: 'What it is about: ids.' }),
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
  summary: 'Jobs that used up their attempts, those that died first',
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
  summary: 'Give a dead job all its attempts again, now',
  request: { params },
  replies: outcome,
  refusals,
})

export const dismissDeadJob = endpoint({
  ...adminOnly,
  method: 'DELETE',
  path: '/api/v1/admin/jobs/{jobId}',
  summary: 'Give a dead job up for good',
  description: 'What it was about is kept in the audit log.',
  request: { params },
  replies: outcome,
  refusals,
})

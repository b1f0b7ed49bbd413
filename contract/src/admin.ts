import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

// What administrators may do, and the record of what they did.

export const adminRequired = refusal('admin-required', 403, 'This is for administrators.')

export const adminOnly = { tag: 'Administration', credential: 'owner-session', errors: 'problem' } as const

export const Pagination = z.object({
  limit: z.number().int(),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
})

const AuditEntry = z
  .object({
    id: z.string().meta({ description: 'Grows with every entry.' }),
    at: DateTime,
    actor: z.object({ id: Uuid, handle: z.string() }),
    act: z.string().meta({ description: 'Such as `comment.delete`.' }),
    targetKind: z.string(),
    targetId: z.string().meta({ description: 'Its uuid; of a job its number.' }),
    details: z.record(z.string(), z.string()),
  })
  .meta({ id: 'AuditEntry' })

export const listAuditEntries = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/audit',
  summary: 'What administrators did, the latest first',
  description: 'Nothing in this log is ever changed or removed.',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional(),
    }),
  },
  replies: { 200: z.object({ entries: z.array(AuditEntry), pagination: Pagination }) },
  refusals: [adminRequired],
})

import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { CursorPagination, DateTime, queryInteger, Uuid } from './schemas.ts'

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
  replies: { 200: z.object({ entries: z.array(AuditEntry), pagination: CursorPagination }) },
  refusals: [adminRequired],
})

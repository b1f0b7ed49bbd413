import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { CursorPagination, DateTime, queryInteger, Uuid } from './schemas.ts'

const AuditEntry = z
  .object({
    id: z.string().meta({ description: 'Increases with every entry.' }),
    at: DateTime,
    actor: z
      .object({ id: Uuid, handle: z.string() })
      .nullable()
      .meta({ description: 'Null: the operator, at the command line of the machine.' }),
    act: z.string().meta({ description: 'For example `comment.delete`.' }),
    targetKind: z.string(),
    targetId: z.string().meta({ description: 'A UUID, or the number of a job.' }),
    details: z.record(z.string(), z.string()),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

export const listAuditEntries = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/audit',
  summary: 'List what administrators and the operator did, newest first',
  description: 'Entries are never changed or removed.',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional(),
    }),
  },
  replies: { 200: z.object({ entries: z.array(AuditEntry), pagination: CursorPagination }) },
  refusals: [adminRequired],
})

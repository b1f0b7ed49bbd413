import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

/** An incident hold. While it is open, the upload is not served to anyone. */
const Hold = z
  .object({
    id: Uuid,
    operationId: Uuid,
    accountId: Uuid,
    targetKind: z.string(),
    targetId: Uuid,
    source: z.enum(['screening', 'administrator']),
    reason: z.string(),
    placedBy: Uuid.nullable(),
    placedAt: DateTime,
    clearedBy: Uuid.nullable(),
    clearedAt: DateTime.nullable(),
  })
  .meta({ id: 'IncidentHold' })
export type Hold = z.infer<typeof Hold>

export const holdNotFound = refusal('hold-not-found', 404, 'No hold has this id.')
export const heldUploadNotFound = refusal('upload-not-found', 404, 'No upload has this id.')

export const listHolds = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/holds',
  summary: 'List incident holds, newest first',
  description: 'With `open=true`, only holds that nobody has cleared.',
  request: {
    query: z.object({
      open: z.enum(['true', 'false']).optional(),
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
      per_page: queryInteger({ min: 1, max: 48, default: 12 }),
    }),
  },
  replies: {
    200: z.object({ data: z.array(Hold), total: z.number().int(), page: z.number().int(), perPage: z.number().int() }),
  },
  refusals: [adminRequired],
})

export const placeHold = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/holds',
  summary: 'Stop serving an upload',
  description: 'Takes the id of the upload operation. If the upload is already held, the reply is the open hold.',
  request: { body: z.strictObject({ operationId: Uuid, reason: trimmedText(1, 500) }) },
  replies: { 200: Hold, 201: Hold },
  refusals: [adminRequired, heldUploadNotFound],
})

export const clearHold = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/holds/{holdId}/clear',
  summary: 'Clear a hold',
  description:
    'An upload that screening rejected stays rejected and its bytes are deleted. An upload that was cleared before is served again.',
  request: { params: z.object({ holdId: Uuid }) },
  replies: { 200: Hold },
  refusals: [adminRequired, holdNotFound],
})

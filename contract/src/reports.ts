import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { commentDeleted, commentNotFound } from './comments.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { discussionIdempotency } from './idempotency.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

const ReportStatus = z.enum(['open', 'dismissed', 'upheld'])
export const duplicateReport = refusal('duplicate-report', 409, 'You have already reported this.')

const Receipt = z
  .object({ success: z.literal(true), reportId: Uuid, status: ReportStatus, replayed: z.boolean() })
  .meta({ id: 'ReportReceipt' })

const report = {
  method: 'POST',
  tag: 'Discussion',
  credential: 'owner-session',
  errors: 'h3',
  replies: { 200: Receipt, 201: Receipt },
  idempotency: discussionIdempotency,
  givesWay: true,
  limits: limitsByAccountAndAddress('reports', { account: 100, address: 1000, seconds: 3600 }),
} as const
const body = z.strictObject({ reason: trimmedText(1, 2000) })

export const reportPost = endpoint({
  ...report,
  path: '/api/v1/posts/{postId}/reports',
  summary: 'Report a post to the administrators',
  description: 'Once per account. Repeating the same request with the same `Idempotency-Key` returns 200.',
  request: { params: z.object({ postId: Uuid }), body },
  refusals: [publicPostNotFound, duplicateReport],
})

export const reportComment = endpoint({
  ...report,
  path: '/api/v1/comments/{commentId}/reports',
  summary: 'Report a comment to the administrators',
  description: 'Once per account. Repeating the same request with the same `Idempotency-Key` returns 200.',
  request: { params: z.object({ commentId: Uuid }), body },
  refusals: [commentNotFound, commentDeleted, duplicateReport],
})

// --- For administrators ----------------------------------------------------------------------------------------------

const ReportDecision = z.enum(['dismiss', 'remove_comment', 'withdraw_post'])
export type ReportDecision = z.infer<typeof ReportDecision>

const Person = z.object({ id: Uuid, handle: z.string() })

const Report = z
  .object({
    id: Uuid,
    status: ReportStatus,
    targetKind: z.enum(['post', 'comment']),
    postId: Uuid,
    commentId: Uuid.nullable(),
    reason: z.string(),
    reporter: Person,
    createdAt: DateTime,
    target: z.object({
      author: Person,
      excerpt: z.string().meta({ description: "A comment's content, or a post's title." }),
      isGone: z.boolean().meta({ description: 'Whether the comment was deleted, or the post is no longer public.' }),
    }),
    decision: ReportDecision.nullable(),
    note: z.string().nullable(),
    decidedAt: DateTime.nullable(),
    decidedBy: Uuid.nullable(),
  })
  .meta({ id: 'Report' })
export type Report = z.infer<typeof Report>

export const reportNotFound = refusal('report-not-found', 404, 'No report has this id.')
export const reportState = refusal('report-state', 409, 'This report was already decided.')

export const listReports = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/reports',
  summary: 'List reports, oldest first',
  description: 'Open reports unless `status` says otherwise.',
  request: {
    query: z.object({
      status: ReportStatus.default('open'),
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional(),
    }),
  },
  replies: { 200: z.object({ reports: z.array(Report), pagination: CursorPagination }) },
  refusals: [adminRequired],
})

export const decideReport = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/reports/{reportId}/decision',
  summary: 'Dismiss a report, or act on it',
  description:
    'Removing the comment or unpublishing the post upholds every open report of it. Decision and action are one entry in the audit log.',
  request: {
    params: z.object({ reportId: Uuid }),
    body: z.strictObject({ decision: ReportDecision, note: trimmedText(1, 2000).optional() }),
  },
  replies: { 200: Report },
  refusals: [adminRequired, reportNotFound, reportState],
})

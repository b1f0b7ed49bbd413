import type { Report } from '@pennypost/contract/reports'
import type { ReportRow } from './report-store.ts'

export const reportView = (row: ReportRow): Report => ({
  id: row.id,
  status: row.state,
  targetKind: row.comment_id ? 'comment' : 'post',
  postId: row.post_id,
  commentId: row.comment_id,
  reason: row.reason,
  reporter: { id: row.reporter_id, handle: row.reporter_handle },
  createdAt: row.created_at.toISOString(),
  target: {
    author: { id: row.target_author_id, handle: row.target_author_handle },
    excerpt: row.excerpt,
    isGone: row.is_gone,
  },
  decision: row.decision,
  note: row.note,
  decidedAt: row.decided_at?.toISOString() ?? null,
  decidedBy: row.decided_by,
})

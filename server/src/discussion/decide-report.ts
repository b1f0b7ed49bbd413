import { validation } from '@pennypost/contract/errors'
import {
  type decideReport as declared,
  type ReportDecision,
  reportNotFound,
  reportState,
} from '@pennypost/contract/reports'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { barLockedPost } from '../posts/moderate-post.ts'
import { lockPost } from '../posts/post-store.ts'
import { removeComment } from './remove-comment.ts'
import { findReportRow, lockReports, moveReports, type Report } from './report-store.ts'
import { reportView } from './report-view.ts'
import type { Handler } from './services.ts'

export const decideReport: Handler<typeof declared> = async ({ db, clock }, { caller, params, body }) => {
  requireAdmin(caller)
  const { decision, note } = body
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    const { report } = (await lockReports(tx, params.reportId)) ?? refuse(reportNotFound)
    if (report.state !== 'open') refuse(reportState)
    checkTarget(decision, report)
    await applyDecision(tx, clock, decision, report)
    const isDismissal = decision === 'dismiss'
    // Removing the target decides all reports of it, including any filed just before it was removed, so we read them
    // again. A dismissal decides only this report.
    const decided = isDismissal ? [report] : (await lockReports(tx, report.id))!.sameTarget
    await moveReports(
      tx,
      decided.map(({ id }) => id),
      isDismissal ? 'dismiss' : 'uphold',
      { decision, note: note ?? null, decidedAt: now, decidedBy: caller.accountId },
    )
    await recordAuditEntry(tx, {
      at: now,
      actorId: caller.accountId,
      act: `report.${decision}`,
      target: report.comment_id ? ['comment', report.comment_id] : ['post', report.post_id],
      details: { reportId: report.id, ...(note !== undefined && { note }) },
    })
  })
  const row = (await findReportRow(db, params.reportId)) ?? refuse(reportNotFound)
  return { status: 200, body: reportView(row) }
}

function checkTarget(decision: ReportDecision, report: Report): void {
  const wanted = { dismiss: undefined, remove_comment: true, withdraw_post: false }[decision]
  if (wanted === undefined || wanted === (report.comment_id !== null)) return
  const message = `does not apply to a report of a ${report.comment_id ? 'comment' : 'post'}`
  refuse(validation, { errors: [{ field: 'decision', code: 'conflict', message }] })
}

async function applyDecision(tx: Tx, clock: Clock, decision: ReportDecision, report: Report): Promise<void> {
  if (decision === 'remove_comment') {
    await removeComment(tx, clock, { id: report.comment_id!, post_id: report.post_id }, 'admin')
  } else if (decision === 'withdraw_post') {
    const post = await lockPost(tx, report.post_id)
    if (post) await barLockedPost(tx, post, clock.now())
  }
}

import { decideReport, listReports, type Report, type ReportDecision } from '@pennypost/contract/reports'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { tabs } from '../tabs.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

const statuses = [
  ['open', 'Open'],
  ['upheld', 'Upheld'],
  ['dismissed', 'Dismissed'],
] as const

/** Reported posts and comments, and the decisions about them. */
export async function showReports(status: Report['status'] = 'open'): Promise<void> {
  const { reports } = await callApi(listReports, { query: { status, limit: '100' } })
  showView(
    tabs('Which reports', statuses, status, showReports),
    reports.length === 0
      ? h('p', { class: 'empty' }, status === 'open' ? 'Nothing waits for you.' : 'None.')
      : h(
          'ul',
          { class: 'rows' },
          reports.map((report) => row(report, () => showReports(status))),
        ),
  )
}

function row(report: Report, redraw: () => Promise<void>): HTMLElement {
  const { targetKind, postId, commentId, reason, reporter, createdAt, target, decision, note } = report
  const removal: [ReportDecision, string] =
    targetKind === 'comment' ? ['remove_comment', 'Remove the comment'] : ['withdraw_post', 'Withdraw the Post']
  const decide = async (chosen: ReportDecision, question: string) => {
    const words = await confirmAction(question, 'Decide', 'A note for the log')
    if (words === undefined) return
    await callApi(decideReport, {
      params: { reportId: report.id },
      body: { decision: chosen, ...(words.trim() !== '' && { note: words }) },
    })
    showToast('Decided.')
    await redraw()
  }
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('a', { class: 'title', href: `/posts/${postId}${commentId ? `#comment-${commentId}` : ''}` }, target.excerpt),
        target.isGone && ' ',
        target.isGone && h('span', { class: 'badge' }, 'gone'),
      ),
      h('p', {}, reason),
      h(
        'p',
        { class: 'facts' },
        `${targetKind === 'comment' ? 'Comment' : 'Post'} by `,
        h('a', { href: `/@${target.author.handle}` }, `@${target.author.handle}`),
        ', reported by ',
        h('a', { href: `/@${reporter.handle}` }, `@${reporter.handle}`),
        `, ${formatDateTime(createdAt)}`,
      ),
      decision !== null &&
        h('p', { class: 'facts' }, `Decision: ${decision.replace('_', ' ')}${note ? `. ${note}` : ''}`),
    ),
    report.status === 'open' &&
      h(
        'div',
        { class: 'row' },
        button('Dismiss', () => decide('dismiss', 'Dismiss this report?')),
        button(removal[1], () => decide(removal[0], `${removal[1]}?`), 'danger small'),
      ),
  )
}

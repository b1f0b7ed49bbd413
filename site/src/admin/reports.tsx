import { decideReport, listReports, type Report, type ReportDecision } from '@pennypost/contract/reports'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDateTime } from '../format.ts'
import { creatorPath, postPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { TabButtons } from '../ui/tab-buttons.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

type Status = Report['status']

const statuses = [
  ['open', 'Open'],
  ['upheld', 'Upheld'],
  ['dismissed', 'Dismissed'],
] as const

export async function loadReports(status: Status, cursor?: string): Promise<ListPage<Report>> {
  const query = { status, ...(cursor !== undefined && { cursor }) }
  const { reports, pagination } = await callApi(listReports, { query })
  return { items: reports, cursor: pagination.nextCursor }
}

/** Reported posts and comments, and the decisions about them. */
export function Reports({ first }: { readonly first: ListPage<Report> }) {
  const [status, setStatus] = useState<Status>('open')
  const { items, more, show, reload } = useListPages(first, (cursor) => loadReports(status, cursor))
  const select = async (chosen: Status) => {
    show(await loadReports(chosen))
    setStatus(chosen)
  }
  return (
    <>
      <TabButtons label="Which reports" options={statuses} current={status} onSelect={select} />
      {items.length === 0 && <p class="empty">{status === 'open' ? 'Nothing is waiting for you.' : 'None.'}</p>}
      <ul class="rows">
        {items.map((report) => (
          <ReportRow key={report.id} report={report} onChange={reload} />
        ))}
      </ul>
      {more}
    </>
  )
}

interface ReportRowProps {
  readonly report: Report
  readonly onChange: () => Promise<void>
}

function ReportRow({ report, onChange }: ReportRowProps) {
  const { targetKind, postId, commentId, reason, reporter, createdAt, target, decision, note } = report
  const isComment = targetKind === 'comment'
  const removal = isComment ? 'Remove the comment' : 'Unpublish the post'
  const decide = async (chosen: ReportDecision, question: string) => {
    const words = await confirmAction(question, 'Decide', 'A note for the audit log')
    if (words === undefined) return
    const body = { decision: chosen, ...(words.trim() !== '' && { note: words }) }
    await callApi(decideReport, { params: { reportId: report.id }, body })
    showToast('Decided.')
    await onChange()
  }
  return (
    <li data-item="">
      <div>
        <p>
          <a class="title" dir="auto" href={`${postPath(postId)}${commentId ? `#comment-${commentId}` : ''}`}>
            {target.excerpt}
          </a>{' '}
          {target.isGone && <span class="badge">gone</span>}
        </p>
        <p dir="auto">{reason}</p>
        <p class="facts">
          {isComment ? 'Comment' : 'Post'} by <a href={creatorPath(target.author.handle)}>@{target.author.handle}</a>,
          reported by <a href={creatorPath(reporter.handle)}>@{reporter.handle}</a>, {formatDateTime(createdAt)}
        </p>
        {decision !== null && (
          <p class="facts">
            Decision: {decision.replace('_', ' ')}
            {note && `. ${note}`}
          </p>
        )}
      </div>
      {report.status === 'open' && (
        <div class="row">
          <Button action={() => decide('dismiss', 'Dismiss this report?')}>Dismiss</Button>
          <Button
            class="danger small"
            action={() => decide(isComment ? 'remove_comment' : 'withdraw_post', `${removal}?`)}
          >
            {removal}
          </Button>
        </div>
      )}
    </li>
  )
}

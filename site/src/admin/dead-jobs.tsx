import { type DeadJob, dismissDeadJob, listDeadJobs, retryDeadJob } from '@pennypost/contract/dead-jobs'
import { callApi } from '../call-api.ts'
import { formatDateTime, plural } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

export async function loadDeadJobs(cursor?: string): Promise<ListPage<DeadJob>> {
  const { jobs, pagination } = await callApi(listDeadJobs, { query: { ...(cursor !== undefined && { cursor }) } })
  return { items: jobs, cursor: pagination.nextCursor }
}

/** Jobs that used up their attempts, to retry or to dismiss. */
export function DeadJobs({ first }: { readonly first: ListPage<DeadJob> }) {
  const { items, more, reload } = useListPages(first, loadDeadJobs)
  return (
    <>
      <p class="lead">Jobs that failed too often and stopped retrying.</p>
      {items.length === 0 && <p class="empty">No job has failed for good.</p>}
      <ul class="rows">
        {items.map((job) => (
          <DeadJobRow key={job.id} job={job} onChange={reload} />
        ))}
      </ul>
      {more}
    </>
  )
}

interface DeadJobRowProps {
  readonly job: DeadJob
  readonly onChange: () => Promise<void>
}

function DeadJobRow({ job: { id, name, payload, attempts, lastError, deadAt }, onChange }: DeadJobRowProps) {
  const act = (label: string, question: string, endpoint: typeof retryDeadJob | typeof dismissDeadJob) => async () => {
    if ((await confirmAction(question, label)) === undefined) return
    await callApi(endpoint, { params: { jobId: id } })
    showToast('Done.')
    await onChange()
  }
  return (
    <li data-item="">
      <div>
        <p>
          <b>{name}</b>
        </p>
        {lastError !== null && <p>{lastError}</p>}
        <p class="facts">
          {plural(attempts, 'attempt')}, the last one {formatDateTime(deadAt)}
        </p>
        {Object.entries(payload).map(([key, value]) => (
          <p key={key} class="facts">
            {key} <code>{String(value)}</code>
          </p>
        ))}
      </div>
      <div class="row">
        <Button action={act('Try again', `Try ${name} again?`, retryDeadJob)}>Try again</Button>
        <Button class="danger small" action={act('Dismiss', `Dismiss ${name}?`, dismissDeadJob)}>
          Dismiss
        </Button>
      </div>
    </li>
  )
}

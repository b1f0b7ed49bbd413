import { type DeadJob, dismissDeadJob, listDeadJobs, retryDeadJob } from '@pennypost/contract/dead-jobs'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime, plural } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

/** Jobs that used up their attempts, to retry or to dismiss. */
export async function showDeadJobs(): Promise<void> {
  const list = h('ul', { class: 'rows' })
  const more = h('p', {})
  const load = async (cursor?: string): Promise<void> => {
    const { jobs, pagination } = await callApi(listDeadJobs, { query: { ...(cursor && { cursor }) } })
    list.append(...jobs.map(row))
    const next = pagination.nextCursor
    more.replaceChildren(...(next === null ? [] : [button('More', () => load(next))]))
  }
  await load()
  showView(
    h('p', { class: 'lead' }, 'Work that failed so often that it is not tried again by itself.'),
    list.childElementCount === 0 ? h('p', { class: 'empty' }, 'All work is done, or under way.') : list,
    more,
  )
}

function row({ id, name, payload, attempts, lastError, deadAt }: DeadJob): HTMLElement {
  const params = { jobId: id }
  const actionButton = (
    words: string,
    question: string,
    endpoint: typeof retryDeadJob | typeof dismissDeadJob,
    style?: string,
  ) =>
    button(
      words,
      async () => {
        if ((await confirmAction(question, words)) === undefined) return
        await callApi(endpoint, { params })
        showToast('Done.')
        await showDeadJobs()
      },
      style,
    )
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h('p', {}, h('b', {}, name)),
      lastError !== null && h('p', {}, lastError),
      h('p', { class: 'facts' }, `${plural(attempts, 'attempt')}, the last one ${formatDateTime(deadAt)}`),
      Object.entries(payload).map(([key, value]) =>
        h('p', { class: 'facts' }, `${key} `, h('code', {}, String(value))),
      ),
    ),
    h(
      'div',
      { class: 'row' },
      actionButton('Try again', `Try ${name} again?`, retryDeadJob),
      actionButton('Give up', `Give ${name} up for good?`, dismissDeadJob, 'danger small'),
    ),
  )
}

import { amountOf, formatAmount } from '@pennypost/contract/money'
import { listObligations, type Obligation, retryObligation } from '@pennypost/contract/obligations'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { tabs } from '../tabs.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

const statuses = [
  ['blocked', 'Blocked'],
  ['waiting', 'On their way'],
] as const

const roles: Readonly<Record<Obligation['role'], string>> = {
  creator: 'To a creator',
  house: 'Commission',
  refund: 'Refund to a payer',
}

/** Payments that the service still owes. A blocked one needs a person to act. */
export async function showObligations(status: Obligation['status'] = 'blocked'): Promise<void> {
  const list = h('ul', { class: 'rows' })
  const more = h('p', {})
  const load = async (cursor?: string): Promise<void> => {
    const { obligations, pagination } = await callApi(listObligations, { query: { status, ...(cursor && { cursor }) } })
    list.append(...obligations.map((owed) => row(owed, () => showObligations(status))))
    const next = pagination.nextCursor
    more.replaceChildren(...(next === null ? [] : [button('More', () => load(next))]))
  }
  await load()
  showView(
    tabs('Which obligations', statuses, status, showObligations),
    list.childElementCount === 0
      ? h('p', { class: 'empty' }, status === 'blocked' ? 'Nothing waits for you.' : 'Nothing is on its way.')
      : list,
    more,
  )
}

function row(owed: Obligation, redraw: () => Promise<void>): HTMLElement {
  const { id, role, status, reason, asset, amountRaw, destination, payee, createdAt, sourceKind, sourceId } = owed
  const amount = `${formatAmount(asset, amountOf(asset, amountRaw))} ${asset}`
  const retry = async () => {
    if ((await confirmAction(`Try to send ${amount} again?`, 'Try again')) === undefined) return
    await callApi(retryObligation, { params: { obligationId: id } })
    showToast('It is on its way.')
    await redraw()
  }
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h('p', {}, h('b', {}, amount), ' ', h('span', { class: status === 'blocked' ? 'badge bad' : 'badge' }, status)),
      h(
        'p',
        { class: 'facts' },
        roles[role],
        payee && [', ', h('a', { href: `/@${payee.handle}` }, `@${payee.handle}`)],
        `, since ${formatDateTime(createdAt)}`,
        sourceId && [`, for ${sourceKind} `, h('code', {}, sourceId)],
      ),
      reason !== null && h('p', {}, `Blocked: ${reason}.`),
      h('p', { class: 'facts' }, 'To ', h('code', {}, destination)),
      status === 'blocked' &&
        role === 'creator' &&
        h('p', { class: 'facts' }, 'Only its creator can say where it goes; they were told.'),
    ),
    status === 'blocked' && role !== 'creator' && button('Try again', retry),
  )
}

import { listAuditEntries } from '@pennypost/contract/audit-log'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime } from '../format.ts'
import { showView } from '../show-view.ts'

/** What administrators did. Entries are never changed or removed. */
export async function showAuditLog(): Promise<void> {
  const list = h('ul', { class: 'rows' })
  const load = async (cursor?: string): Promise<void> => {
    const { entries, pagination } = await callApi(listAuditEntries, {
      query: { limit: '50', ...(cursor && { cursor }) },
    })
    list.append(
      ...entries.map(({ at, actor, act, targetKind, targetId, details }) =>
        h(
          'li',
          { 'data-item': true },
          h(
            'div',
            {},
            h('p', {}, h('b', {}, act), ' by ', h('a', { href: `/@${actor.handle}` }, `@${actor.handle}`)),
            h('p', { class: 'facts' }, `${formatDateTime(at)}, ${targetKind} `, h('code', {}, targetId)),
            Object.entries(details).map(([name, value]) => h('p', { class: 'facts' }, `${name}: ${value}`)),
          ),
        ),
      ),
    )
    const next = pagination.nextCursor
    showView(
      list.childElementCount === 0 ? h('p', { class: 'empty' }, 'Nothing was done yet.') : list,
      next !== null && button('Older', () => load(next)),
    )
  }
  await load()
}

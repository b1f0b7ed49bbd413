import { clearHold, type Hold, listHolds, placeHold } from '@pennypost/contract/holds'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button, field, fieldText, form } from '../form.ts'
import { formatDateTime } from '../format.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

/** Uploads that are withheld until an administrator has reviewed them. */
export async function showHolds(): Promise<void> {
  const { data } = await callApi(listHolds, { query: { per_page: '48' } })
  showView(
    data.length === 0 ? h('p', { class: 'empty' }, 'Nothing is held.') : h('ul', { class: 'rows' }, data.map(row)),
    h('h2', {}, 'Hold an upload'),
    form(
      [
        field(
          'Upload',
          h('input', { name: 'operationId', required: true, maxlength: 36, placeholder: 'Its operation id' }),
        ),
        field('Reason', h('input', { name: 'reason', required: true, maxlength: 500 })),
      ],
      'Hold it',
      async (fields) => {
        await callApi(placeHold, {
          body: { operationId: fieldText(fields, 'operationId'), reason: fieldText(fields, 'reason') },
        })
        await showHolds()
      },
    ),
  )
}

const row = ({ id, operationId, targetKind, source, reason, placedAt, clearedAt }: Hold): HTMLElement =>
  h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('b', {}, targetKind),
        ' ',
        h('span', { class: clearedAt ? 'badge' : 'badge bad' }, clearedAt ? 'cleared' : 'held'),
      ),
      h('p', {}, reason),
      h('p', { class: 'facts' }, `By ${source}, ${formatDateTime(placedAt)}. Upload `, h('code', {}, operationId)),
    ),
    !clearedAt &&
      button('Clear', async () => {
        if ((await confirmAction('End this hold?', 'Clear')) === undefined) return
        await callApi(clearHold, { params: { holdId: id } })
        await showHolds()
      }),
  )

import { clearHold, type Hold, listHolds, placeHold } from '@pennypost/contract/holds'
import { callApi } from '../call-api.ts'
import { formatDateTime } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Field, Form } from '../ui/form.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

const perPage = 48

export async function loadHolds(cursor = '1'): Promise<ListPage<Hold>> {
  const { data, total, page } = await callApi(listHolds, { query: { page: cursor, per_page: String(perPage) } })
  return { items: data, cursor: page * perPage < total ? String(page + 1) : null }
}

/** Uploads that are withheld until an administrator has reviewed them. */
export function Holds({ first }: { readonly first: ListPage<Hold> }) {
  const { items, more, reload } = useListPages(first, loadHolds)
  return (
    <>
      {items.length === 0 && <p class="empty">No upload is on hold.</p>}
      <ul class="rows">
        {items.map((hold) => (
          <HoldRow key={hold.id} hold={hold} onChange={reload} />
        ))}
      </ul>
      {more}
      <h2>Hold an upload</h2>
      <Form
        submit="Hold it"
        send={async (fields) => {
          const [operationId = '', reason = ''] = ['operationId', 'reason'].map((name) =>
            String(fields.get(name)).trim(),
          )
          await callApi(placeHold, { body: { operationId, reason } })
          await reload()
        }}
      >
        {(errors) => (
          <>
            <Field label="Upload" error={errors.operationId}>
              <input name="operationId" required maxlength={36} placeholder="Its operation id" />
            </Field>
            <Field label="Reason" error={errors.reason}>
              <input name="reason" required maxlength={500} />
            </Field>
          </>
        )}
      </Form>
    </>
  )
}

interface HoldRowProps {
  readonly hold: Hold
  readonly onChange: () => Promise<void>
}

function HoldRow({ hold, onChange }: HoldRowProps) {
  const { id, operationId, targetKind, source, reason, placedAt, clearedAt } = hold
  const clear = async () => {
    if ((await confirmAction('End this hold?', 'Clear')) === undefined) return
    await callApi(clearHold, { params: { holdId: id } })
    await onChange()
  }
  return (
    <li data-item="">
      <div>
        <p>
          <b>{targetKind}</b> <span class={clearedAt ? 'badge' : 'badge bad'}>{clearedAt ? 'cleared' : 'on hold'}</span>
        </p>
        <p>{reason}</p>
        <p class="facts">
          By {source}, {formatDateTime(placedAt)}. Upload <code>{operationId}</code>
        </p>
      </div>
      {!clearedAt && <Button action={clear}>Clear</Button>}
    </li>
  )
}

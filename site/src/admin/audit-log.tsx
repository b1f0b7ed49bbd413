import { type AuditEntry, listAuditEntries } from '@pennypost/contract/audit-log'
import { callApi } from '../call-api.ts'
import { formatDateTime } from '../format.ts'
import { creatorPath } from '../paths.ts'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

export async function loadAuditLog(cursor?: string): Promise<ListPage<AuditEntry>> {
  const query = { limit: '50', ...(cursor !== undefined && { cursor }) }
  const { entries, pagination } = await callApi(listAuditEntries, { query })
  return { items: entries, cursor: pagination.nextCursor }
}

/** The log of what administrators and the operator did. Entries are never changed or removed. */
export function AuditLog({ first }: { readonly first: ListPage<AuditEntry> }) {
  const { items, more } = useListPages(first, loadAuditLog)
  if (items.length === 0) return <p class="empty">Administrators have done nothing yet.</p>
  return (
    <>
      <ul class="rows">
        {items.map(({ id, at, actor, act, targetKind, targetId, details }) => (
          <li key={id} data-item="">
            <div>
              <p>
                <b>{act}</b> by {actor ? <a href={creatorPath(actor.handle)}>@{actor.handle}</a> : 'the operator'}
              </p>
              <p class="facts">
                {formatDateTime(at)}, {targetKind} <code>{targetId}</code>
              </p>
              {Object.entries(details).map(([name, value]) => (
                <p key={name} class="facts">
                  {name}: {value}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

import { amountOf, formatAmount } from '@pennypost/contract/money'
import { listObligations, type Obligation, retryObligation } from '@pennypost/contract/obligations'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDateTime } from '../format.ts'
import { creatorPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { TabButtons } from '../ui/tab-buttons.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

type Status = Obligation['status']

const statuses = [
  ['blocked', 'Blocked'],
  ['waiting', 'On their way'],
] as const

const roles: Readonly<Record<Obligation['role'], string>> = {
  creator: 'To a creator',
  house: 'Commission',
  refund: 'Refund to a payer',
}

export async function loadObligations(status: Status, cursor?: string): Promise<ListPage<Obligation>> {
  const query = { status, ...(cursor !== undefined && { cursor }) }
  const { obligations, pagination } = await callApi(listObligations, { query })
  return { items: obligations, cursor: pagination.nextCursor }
}

/** Payments that the service still owes. A blocked one needs a person to act. */
export function Obligations({ first }: { readonly first: ListPage<Obligation> }) {
  const [status, setStatus] = useState<Status>('blocked')
  const { items, more, show, reload } = useListPages(first, (cursor) => loadObligations(status, cursor))
  const select = async (chosen: Status) => {
    show(await loadObligations(chosen))
    setStatus(chosen)
  }
  return (
    <>
      <TabButtons label="Which obligations" options={statuses} current={status} onSelect={select} />
      {items.length === 0 && (
        <p class="empty">{status === 'blocked' ? 'Nothing is waiting for you.' : 'Nothing is on its way.'}</p>
      )}
      <ul class="rows">
        {items.map((owed) => (
          <ObligationRow key={owed.id} owed={owed} onChange={reload} />
        ))}
      </ul>
      {more}
    </>
  )
}

interface ObligationRowProps {
  readonly owed: Obligation
  readonly onChange: () => Promise<void>
}

function ObligationRow({ owed, onChange }: ObligationRowProps) {
  const { id, role, status, reason, asset, amountRaw, destination, payee, createdAt, sourceKind, sourceId } = owed
  const amount = `${formatAmount(asset, amountOf(asset, amountRaw))} ${asset}`
  const isBlocked = status === 'blocked'
  const retry = async () => {
    if ((await confirmAction(`Try to send ${amount} again?`, 'Try again')) === undefined) return
    await callApi(retryObligation, { params: { obligationId: id } })
    showToast('It is on its way.')
    await onChange()
  }
  return (
    <li data-item="">
      <div>
        <p>
          <b>{amount}</b> <span class={isBlocked ? 'badge bad' : 'badge'}>{status}</span>
        </p>
        <p class="facts">
          {roles[role]}
          {payee && (
            <>
              , <a href={creatorPath(payee.handle)}>@{payee.handle}</a>
            </>
          )}
          , since {formatDateTime(createdAt)}
          {sourceId && (
            <>
              , for {sourceKind} <code>{sourceId}</code>
            </>
          )}
        </p>
        {reason !== null && <p>Blocked: {reason}.</p>}
        <p class="facts">
          To <code>{destination}</code>
        </p>
        {isBlocked && role === 'creator' && (
          <p class="facts">Only the creator can choose the address, and has been notified.</p>
        )}
      </div>
      {isBlocked && role !== 'creator' && <Button action={retry}>Try again</Button>}
    </li>
  )
}

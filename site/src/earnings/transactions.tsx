import { isDeletedHandle } from '@pennypost/contract/deleted-account'
import { exportTransactions, type FinancialItem, listTransactions } from '@pennypost/contract/finance'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name, PersonPage } from '../components/person-link.tsx'
import { errorMessage } from '../error-message.ts'
import { formatDateTime, plural } from '../format.ts'
import { postPath } from '../paths.ts'
import { saveFile } from '../save-file.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { Amount } from './amount.tsx'

const directions = [
  ['', 'In and out'],
  ['in', 'Received'],
  ['out', 'Paid'],
] as const
const rails = [
  ['', 'All methods'],
  ['XNO', 'Nano'],
  ['USDC', 'USDC'],
] as const

interface Filters {
  readonly direction: '' | 'in' | 'out'
  readonly asset: '' | 'XNO' | 'USDC'
}

const queryOf = ({ direction, asset }: Filters) => ({ ...(direction && { direction }), ...(asset && { asset }) })

export async function loadTransactions(filters: Filters = { direction: '', asset: '' }, cursor?: string) {
  const query = { ...queryOf(filters), limit: '30', ...(cursor !== undefined && { cursor }) }
  const { items, total, pagination } = await callApi(listTransactions, { query })
  return { filters, items, total, cursor: pagination.nextCursor }
}

/** All payments of the account, newest first, with a CSV download. */
export function Transactions({ first }: { readonly first: Awaited<ReturnType<typeof loadTransactions>> }) {
  const [{ filters, items, total, cursor }, setShown] = useState(first)
  const change = async (changed: Partial<Filters>) => {
    try {
      setShown(await loadTransactions({ ...filters, ...changed }))
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  const loadMore = async () => {
    const next = await loadTransactions(filters, cursor!)
    setShown({ ...next, items: [...items, ...next.items] })
  }
  const download = async () =>
    saveFile(
      await callApi(exportTransactions, { query: queryOf(filters) }),
      `transactions-${new Date().toISOString().slice(0, 10)}.csv`,
    )
  return (
    <>
      <div class="row filters-row">
        <label class="field">
          Direction
          <select onChange={(event) => change({ direction: event.currentTarget.value as Filters['direction'] })}>
            {directions.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Payment method
          <select onChange={(event) => change({ asset: event.currentTarget.value as Filters['asset'] })}>
            {rails.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Button class="quiet-button" action={download}>
          Download as CSV
        </Button>
      </div>
      <p class="quiet" role="status">
        {plural(total, 'payment')}
      </p>
      {total === 0 && <p class="empty">No payments like this yet.</p>}
      <ul class="rows">
        {items.map((item) => (
          <TransactionRow key={`${item.kind} ${item.source_id}`} item={item} />
        ))}
      </ul>
      {cursor !== null && (
        <p>
          <Button action={loadMore}>Older</Button>
        </p>
      )}
    </>
  )
}

const kinds: Readonly<Record<FinancialItem['kind'], string>> = {
  sale: 'Sale',
  purchase: 'Purchase',
  tip: 'Tip',
  payout: 'Payout',
}

function TransactionRow({ item }: { readonly item: FinancialItem }) {
  const { kind, direction, asset, status, counterparty } = item
  const isIn = direction === 'in'
  return (
    <li data-item="">
      <div>
        <p>
          <a class="title" href={postPath(item.post_id)}>
            <Name of={item.post_title} />
          </a>
        </p>
        <p class="facts">
          {kinds[kind]}
          {counterparty ? (
            <>
              {isIn ? ' from ' : ' to '}
              <PersonPage handle={counterparty.handle}>
                {isDeletedHandle(counterparty.handle) ? counterparty.name : `@${counterparty.handle}`}
              </PersonPage>
            </>
          ) : (
            ' from a wallet'
          )}
          , {formatDateTime(item.created_at)}
          {isIn && status === 'received' && asset === 'XNO' && ', on its way to you'}
        </p>
      </div>
      <p class="line-sum">
        <b class={isIn ? 'came' : ''}>
          {isIn ? '+' : '−'}
          <Amount asset={asset} raw={isIn ? item.net_raw : item.gross_raw} />
        </b>
        {isIn && item.commission_raw !== '0' && (
          <span class="facts">
            of <Amount asset={asset} raw={item.gross_raw} /> paid
          </span>
        )}
      </p>
    </li>
  )
}

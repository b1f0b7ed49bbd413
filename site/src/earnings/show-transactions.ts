import { exportTransactions, type FinancialItem, listTransactions } from '@pennypost/contract/finance'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button, field, select } from '../form.ts'
import { formatDateTime, plural } from '../format.ts'
import { showView } from '../show-view.ts'
import { amountElement } from './amounts.ts'

const directions = [
  ['', 'In and out'],
  ['in', 'What came in'],
  ['out', 'What you paid'],
] as const
const rails = [
  ['', 'Every rail'],
  ['XNO', 'Nano'],
  ['USDC', 'USDC'],
] as const

/** All payments of the account, newest first, with a CSV download. */
export async function showTransactions(): Promise<void> {
  const [direction, rail] = [select('direction', directions, ''), select('asset', rails, '')]
  const list = h('ul', { class: 'rows' })
  const more = h('p', {})
  const count = h('p', { class: 'quiet', role: 'status' })
  const filters = () => ({
    ...(direction.value && { direction: direction.value as 'in' | 'out' }),
    ...(rail.value && { asset: rail.value as 'XNO' | 'USDC' }),
  })
  const load = async (cursor?: string): Promise<void> => {
    const { items, total, pagination } = await callApi(listTransactions, {
      query: { ...filters(), limit: '30', ...(cursor && { cursor }) },
    })
    if (!cursor) list.replaceChildren()
    list.append(...items.map(line))
    if (total === 0) list.append(h('li', { class: 'empty' }, 'There is nothing like this yet.'))
    count.textContent = plural(total, 'payment')
    const next = pagination.nextCursor
    more.replaceChildren(...(next === null ? [] : [button('Older', () => load(next))]))
  }
  for (const control of [direction, rail]) control.addEventListener('change', () => load())
  await load()
  showView(
    h(
      'div',
      { class: 'row filters-row' },
      field('Direction', direction),
      field('Rail', rail),
      button(
        'Download as CSV',
        async () => save(await callApi(exportTransactions, { query: filters() })),
        'quiet-button',
      ),
    ),
    count,
    list,
    more,
  )
}

/** Saves bytes as a file, as if a link had been clicked. */
function save(bytes: unknown): void {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'text/csv' }))
  const name = `transactions-${new Date().toISOString().slice(0, 10)}.csv`
  h('a', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

const kinds: Readonly<Record<FinancialItem['kind'], string>> = {
  sale: 'Sale',
  purchase: 'Purchase',
  tip: 'Tip',
  payout: 'Payout',
}

function line(item: FinancialItem): HTMLElement {
  const { kind, direction, asset, status, counterparty } = item
  const isIn = direction === 'in'
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h('p', {}, h('a', { class: 'title', href: `/posts/${item.post_id}` }, h('bdi', {}, item.post_title))),
      h(
        'p',
        { class: 'facts' },
        kinds[kind],
        counterparty
          ? [isIn ? ' from ' : ' to ', h('a', { href: `/@${counterparty.handle}` }, `@${counterparty.handle}`)]
          : ' from a wallet',
        `, ${formatDateTime(item.created_at)}`,
        isIn && status === 'received' && asset === 'XNO' && ', on its way to you',
      ),
    ),
    h(
      'p',
      { class: 'line-sum' },
      h(
        'b',
        { class: isIn ? 'came' : '' },
        isIn ? '+' : '−',
        amountElement(asset, isIn ? item.net_raw : item.gross_raw),
      ),
      isIn &&
        item.commission_raw !== '0' &&
        h('span', { class: 'facts' }, 'of ', amountElement(asset, item.gross_raw), ' paid'),
    ),
  )
}

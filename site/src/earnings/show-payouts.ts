import { type FinancialItem, type FinancialList, listPayouts } from '@pennypost/contract/finance'
import { bindPayout } from '@pennypost/contract/payouts'
import { getBasePayoutAddress, getPayoutAddress } from '@pennypost/contract/profiles'
import { callApi } from '../call-api.ts'
import { copyButton } from '../copy-button.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime, plural } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { amountElement } from './amounts.ts'

interface Saved {
  readonly payoutAddress: string | null
  readonly addressUpdatedAt: string | null
}

/** Payouts: sent, on their way, and blocked for want of an address. */
export async function showPayouts(): Promise<void> {
  const [nano, base, blocked] = await Promise.all([
    callApi(getPayoutAddress, {}),
    callApi(getBasePayoutAddress, {}),
    callApi(listPayouts, { query: { status: 'blocked', limit: '50' } }),
  ])
  const list = h('ul', { class: 'rows' })
  const more = h('p', {})
  const load = async (cursor?: string): Promise<void> => {
    const { items, total, pagination } = await callApi(listPayouts, {
      query: { limit: '30', ...(cursor && { cursor }) },
    })
    list.append(...items.map(payout))
    if (total === 0) list.append(h('li', { class: 'empty' }, 'Nothing was to be sent yet. USDC goes straight to you.'))
    const next = pagination.nextCursor
    more.replaceChildren(...(next === null ? [] : [button('Older', () => load(next))]))
  }
  await load()
  showView(
    blocked.total > 0 && obligations(blocked, nano),
    h('h2', {}, 'Where you are paid'),
    h(
      'dl',
      { class: 'addresses' },
      address('Nano', nano.payoutAddress, 'Sales and tips in Nano are sent here by the service.'),
      address('USDC on Base', base.payoutAddress, 'Sales in USDC go straight here.'),
    ),
    h('p', {}, h('a', { class: 'button quiet-button small', href: '/settings/receiving' }, 'Change')),
    h('h2', {}, 'Payouts'),
    list,
    more,
  )
}

const address = (rail: string, saved: string | null, words: string): HTMLElement =>
  h(
    'div',
    {},
    h('dt', {}, rail),
    h('dd', {}, saved === null ? h('span', { class: 'badge' }, 'none') : h('code', {}, saved)),
    h('dd', { class: 'facts' }, words),
  )

/** Payouts without a usable address. Only the creator can say where they go. */
function obligations(blocked: FinancialList, { payoutAddress, addressUpdatedAt }: Saved): HTMLElement {
  const bindAll = async () => {
    for (const { source_kind: sourceKind, source_id: sourceId } of blocked.items)
      await callApi(bindPayout, {
        params: { sourceKind, sourceId },
        body: { payoutAddress: payoutAddress!, addressUpdatedAt: addressUpdatedAt! },
      })
    showToast('It is on its way to you.')
    await showPayouts()
  }
  const more = blocked.total - blocked.items.length
  return h(
    'section',
    { class: 'notice waits', 'aria-labelledby': 'blocked-title' },
    h('h2', { id: 'blocked-title' }, amountElement('XNO', blocked.summary.XNO.net_raw), ' waits for you'),
    h(
      'p',
      {},
      `${plural(blocked.total, 'payment')} could not be sent: there was no address, or the network refused it. It stays yours until you say where it goes.`,
    ),
    h(
      'ul',
      {},
      blocked.items
        .slice(0, 5)
        .map((item) => h('li', {}, h('bdi', {}, item.post_title), ', ', amountElement('XNO', item.net_raw))),
      blocked.total > 5 && h('li', {}, `and ${blocked.total - 5} more`),
    ),
    payoutAddress === null
      ? h('p', {}, h('a', { class: 'button', href: '/settings/receiving' }, 'Save a Nano address first'))
      : [
          h('p', { class: 'facts' }, 'To ', h('code', {}, payoutAddress)),
          h('p', {}, button(more > 0 ? `Send the first ${blocked.items.length} there` : 'Send it there', bindAll, '')),
        ],
  )
}

const states: Readonly<Record<string, readonly [words: string, tone: string]>> = {
  waiting: ['on its way', ''],
  blocked: ['waits for you', 'bad'],
  confirmed: ['paid', 'good'],
}

function payout(item: FinancialItem): HTMLElement {
  const [words, tone] = states[item.status] ?? [item.status, '']
  const hash = item.block_hash
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('a', { class: 'title', href: `/posts/${item.post_id}` }, h('bdi', {}, item.post_title)),
        ' ',
        h('span', { class: `badge ${tone}` }, words),
      ),
      h(
        'p',
        { class: 'facts' },
        `${item.source_kind === 'tip' ? 'Tip' : 'Sale'}, ${formatDateTime(item.settled_at ?? item.created_at)}`,
      ),
      hash !== null &&
        h(
          'p',
          { class: 'facts hash' },
          'Block ',
          h('code', { title: hash }, `${hash.slice(0, 8)}…${hash.slice(-8)}`),
          ' ',
          copyButton(hash, 'The hash of the block is in your clipboard.', 'Copy', 'text-button'),
        ),
    ),
    h('p', { class: 'line-sum' }, h('b', {}, amountElement(item.asset, item.net_raw))),
  )
}

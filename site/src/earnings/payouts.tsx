import { type FinancialItem, type FinancialList, listPayouts } from '@pennypost/contract/finance'
import { bindPayout } from '@pennypost/contract/payouts'
import { getBasePayoutAddress, getPayoutAddress } from '@pennypost/contract/profiles'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { formatDateTime, plural } from '../format.ts'
import { postPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'
import { Amount } from './amount.tsx'

interface Saved {
  readonly payoutAddress: string | null
  readonly addressUpdatedAt: string | null
}

async function loadPage(cursor?: string): Promise<ListPage<FinancialItem>> {
  const query = { limit: '30', ...(cursor !== undefined && { cursor }) }
  const { items, pagination } = await callApi(listPayouts, { query })
  return { items, cursor: pagination.nextCursor }
}

const loadBlocked = () => callApi(listPayouts, { query: { status: 'blocked', limit: '50' } })

export async function loadPayouts() {
  const [nano, base, blocked, page] = await Promise.all([
    callApi(getPayoutAddress, {}),
    callApi(getBasePayoutAddress, {}),
    loadBlocked(),
    loadPage(),
  ])
  return { nano, base, blocked, page }
}

/** Payouts: sent, on their way, and blocked for want of an address. */
export function Payouts({ first }: { readonly first: Awaited<ReturnType<typeof loadPayouts>> }) {
  const { nano, base } = first
  const [blocked, setBlocked] = useState<FinancialList>(first.blocked)
  const { items, more, reload } = useListPages(first.page, loadPage)
  const reloadAll = async () => {
    setBlocked(await loadBlocked())
    await reload()
  }
  return (
    <>
      {blocked.total > 0 && <BlockedPayouts blocked={blocked} saved={nano} onBound={reloadAll} />}
      <h2>Where you are paid</h2>
      <dl class="addresses">
        <Address rail="Nano" saved={nano} hint="Sales and tips in Nano are sent here by the service." />
        <Address rail="USDC on Base" saved={base} hint="Sales in USDC go straight here." />
      </dl>
      <p>
        <a class="button quiet-button small" href="/settings/receiving">
          Change
        </a>
      </p>
      <h2>Payouts</h2>
      {items.length === 0 && <p class="empty">No payouts yet. USDC goes straight to you.</p>}
      <ul class="rows">
        {items.map((item) => (
          <PayoutRow key={item.source_id} item={item} />
        ))}
      </ul>
      {more}
    </>
  )
}

interface AddressProps {
  readonly rail: string
  readonly saved: Saved
  readonly hint: string
}

const Address = ({ rail, saved: { payoutAddress }, hint }: AddressProps) => (
  <div>
    <dt>{rail}</dt>
    <dd>{payoutAddress === null ? <span class="badge">none</span> : <code>{payoutAddress}</code>}</dd>
    <dd class="facts">{hint}</dd>
  </div>
)

const shownTitles = 5

interface BlockedPayoutsProps {
  readonly blocked: FinancialList
  readonly saved: Saved
  readonly onBound: () => Promise<void>
}

/** Payouts without a usable address. Only the creator can say where they go. */
function BlockedPayouts({ blocked: { items, total, summary }, saved, onBound }: BlockedPayoutsProps) {
  const { payoutAddress, addressUpdatedAt } = saved
  const bindAll = async () => {
    for (const { source_kind: sourceKind, source_id: sourceId } of items)
      await callApi(bindPayout, {
        params: { sourceKind, sourceId },
        body: { payoutAddress: payoutAddress!, addressUpdatedAt: addressUpdatedAt! },
      })
    showToast('It is on its way to you.')
    await onBound()
  }
  return (
    <section class="notice waits" aria-labelledby="blocked-title">
      <h2 id="blocked-title">
        <Amount asset="XNO" raw={summary.XNO.net_raw} /> waits for you
      </h2>
      <p>
        Readers have paid this, but {plural(total, 'payment')} could not be sent on to you: you had no Nano address, or
        the network refused it. The money is yours. We keep it until you choose where it goes.
      </p>
      <ul>
        {items.slice(0, shownTitles).map((item) => (
          <li key={item.source_id}>
            <Name of={item.post_title} />, <Amount asset="XNO" raw={item.net_raw} />
          </li>
        ))}
        {total > shownTitles && <li>and {total - shownTitles} more</li>}
      </ul>
      {payoutAddress === null ? (
        <p>
          <a class="button" href="/settings/receiving">
            Save a Nano address first
          </a>
        </p>
      ) : (
        <>
          <p class="facts">
            To <code>{payoutAddress}</code>
          </p>
          <p>
            <Button class="" action={bindAll}>
              {total > items.length ? `Send the first ${items.length} there` : 'Send it there'}
            </Button>
          </p>
        </>
      )}
    </section>
  )
}

const states: Readonly<Record<string, readonly [label: string, tone: string]>> = {
  waiting: ['on its way', ''],
  blocked: ['waits for you', 'bad'],
  confirmed: ['paid', 'good'],
}

function PayoutRow({ item }: { readonly item: FinancialItem }) {
  const [label, tone] = states[item.status] ?? [item.status, '']
  const hash = item.block_hash
  return (
    <li data-item="">
      <div>
        <p>
          <a class="title" href={postPath(item.post_id)}>
            <Name of={item.post_title} />
          </a>{' '}
          <span class={`badge ${tone}`}>{label}</span>
        </p>
        <p class="facts">
          {item.source_kind === 'tip' ? 'Tip' : 'Sale'}, {formatDateTime(item.settled_at ?? item.created_at)}
        </p>
        {hash !== null && <BlockHash hash={hash} />}
      </div>
      <p class="line-sum">
        <b>
          <Amount asset={item.asset} raw={item.net_raw} />
        </b>
      </p>
    </li>
  )
}

function BlockHash({ hash }: { readonly hash: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(hash)
    showToast('The hash of the block is in your clipboard.')
  }
  return (
    <p class="facts hash">
      Block{' '}
      <code title={hash}>
        {hash.slice(0, 8)}…{hash.slice(-8)}
      </code>{' '}
      <Button class="text-button" action={copy}>
        Copy
      </Button>
    </p>
  )
}

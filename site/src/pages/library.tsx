import { claimCheckout } from '@pennypost/contract/checkout'
import { type LibraryItem, listLibrary } from '@pennypost/contract/library'
import { useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { type GuestPurchase, guestPurchases, removeGuestPurchase } from '../checkout/purchase-storage.ts'
import { oneLine } from '../clean-text.ts'
import { Avatar } from '../components/avatar.tsx'
import { Name, PersonPage } from '../components/person-link.tsx'
import { formatDate, plural } from '../format.ts'
import { postPath } from '../paths.ts'
import { type Account, requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { showPage } from '../ui/show-page.tsx'

const perPage = 24
const typingPauseMs = 250
const orders = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['title', 'By title'],
] as const
type Order = (typeof orders)[number][0]

interface SearchResult {
  readonly items: readonly LibraryItem[]
  readonly total: number
  readonly page: number
  /** The words of the search. */
  readonly words: string
}

async function find(words: string, sort: Order, page: number): Promise<SearchResult> {
  const { data, total } = await callApi(listLibrary, {
    query: { ...(words !== '' && { q: words }), sort, page: String(page), per_page: String(perPage) },
  })
  return { items: data, total, page, words }
}

interface LibraryProps {
  readonly account: Account
  readonly unclaimed: readonly GuestPurchase[]
  readonly first: SearchResult
}

function Library({ account, unclaimed: firstUnclaimed, first }: LibraryProps) {
  const [{ items, total, page, words }, setFound] = useState(first)
  const [unclaimed, setUnclaimed] = useState(firstUnclaimed)
  const search = useRef<HTMLInputElement>(null)
  const order = useRef<HTMLSelectElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = async (wanted = 1) => {
    const typed = search.current!.value.trim()
    const found = await find(typed, order.current!.value as Order, wanted)
    // The user has typed on, and a newer search is on its way.
    if (typed !== search.current!.value.trim()) return
    setFound(wanted === 1 ? found : { ...found, items: [...items, ...found.items] })
  }
  const showSoon = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(show, typingPauseMs)
  }
  const claim = async () => {
    for (const { checkoutId, credential } of unclaimed) {
      await callApi(claimCheckout, { params: { checkoutId }, body: { checkoutCredential: credential } })
      removeGuestPurchase(checkoutId)
    }
    setUnclaimed([])
    showToast('They are yours now.')
    await show()
  }
  return (
    <>
      {account.isGuest && <GuestNotice />}
      {unclaimed.length > 0 && <UnclaimedNotice purchases={unclaimed} claim={claim} />}
      <form class="row library-search" role="search" onSubmit={(event) => event.preventDefault()}>
        <div class="grow">
          <input
            type="search"
            ref={search}
            aria-label="Search your library"
            placeholder="Search your library"
            maxlength={100}
            onInput={showSoon}
          />
        </div>
        <select name="sort" aria-label="Order" ref={order} onChange={() => show()}>
          {orders.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </form>
      <p class="quiet" role="status">
        {words !== '' ? `${plural(total, 'Post')} found` : total > 0 && plural(total, 'Post')}
      </p>
      <ul class="rows library">
        {items.map((item) => (
          <Item key={item.post.id} item={item} />
        ))}
      </ul>
      <p>
        {total > page * perPage && <Button action={() => show(page + 1)}>More</Button>}
        {total === 0 && words === '' && (
          <span class="empty">
            Nothing yet. What you buy is kept here, with its receipt. <a href="/?access=paid">See what is for sale</a>.
          </span>
        )}
      </p>
    </>
  )
}

const Item = ({ item: { post, grantedAt, payment } }: { readonly item: LibraryItem }) => (
  <li data-item="">
    <div>
      <p>
        {/* A withdrawn post has no page; its buyers read it on the receipt. */}
        <a class="title" dir="auto" href={post.status === 'published' ? postPath(post.id) : `/library/${post.id}`}>
          {oneLine(post.title)}
        </a>
        {post.status === 'withdrawn' && (
          <>
            {' '}
            <span class="badge">withdrawn</span>
          </>
        )}
      </p>
      {post.description !== '' && (
        <p class="quiet" dir="auto">
          {oneLine(post.description)}
        </p>
      )}
      <p class="facts">
        <Avatar person={post.author} />{' '}
        <PersonPage handle={post.author.handle}>
          <Name of={post.author.name} />
        </PersonPage>
        , {formatDate(grantedAt)}
        {payment && `, ${payment.amount} ${payment.asset}`}
      </p>
    </div>
    <a class="button quiet-button small" href={`/library/${post.id}`}>
      Receipt
    </a>
  </li>
)

const GuestNotice = () => (
  <p class="notice">
    You are here as a guest, in this browser alone. <a href="/settings/email">Add your email</a> or{' '}
    <a href="/settings/wallets">a wallet</a>, and your purchases are yours on every device.
  </p>
)

interface UnclaimedNoticeProps {
  readonly purchases: readonly GuestPurchase[]
  readonly claim: () => Promise<void>
}

/** Offers to move purchases that were made as a guest into the account. */
const UnclaimedNotice = ({ purchases, claim }: UnclaimedNoticeProps) => (
  <section class="notice" aria-label="Bought as a guest">
    <p>
      {plural(purchases.length, 'purchase')} of this browser {purchases.length === 1 ? 'was' : 'were'} made as a guest:{' '}
      {purchases.map(({ title }) => oneLine(title)).join(', ')}.
    </p>
    <Button action={claim}>Move into my account</Button>
  </section>
)

/** Guest purchases of this browser that the account does not have yet. */
async function unclaimedPurchases(): Promise<GuestPurchase[]> {
  const kept: GuestPurchase[] = []
  for (const purchase of guestPurchases()) {
    const { total } = await callApi(listLibrary, { query: { post_id: purchase.postId, per_page: '1' } })
    if (total > 0) removeGuestPurchase(purchase.checkoutId)
    else kept.push(purchase)
  }
  return kept
}

// Last, because it needs everything above.
await showPage(async () => {
  const account = await requireAccount()
  const unclaimed = account.isGuest ? [] : await unclaimedPurchases()
  return <Library account={account} unclaimed={unclaimed} first={await find('', 'newest', 1)} />
})

import { claimCheckout } from '@pennypost/contract/checkout'
import { type LibraryItem, listLibrary } from '@pennypost/contract/library'
import { avatar } from '../avatar.ts'
import { callApi } from '../call-api.ts'
import { type GuestPurchase, guestPurchases, removeGuestPurchase } from '../checkout/purchase-storage.ts'
import { h } from '../dom.ts'
import { button, select } from '../form.ts'
import { formatDate, plural } from '../format.ts'
import { loadPage } from '../load-page.ts'
import { type Account, requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'

const perPage = 24
const orders = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['title', 'By title'],
] as const
type Order = (typeof orders)[number][0]

const list = h('ul', { class: 'rows library' })
const count = h('p', { class: 'quiet', role: 'status' })
const more = h('p', {})
const search = h('input', {
  type: 'search',
  'aria-label': 'Search your library',
  placeholder: 'Search your library',
  maxlength: 100,
})
const order = select('sort', orders, 'newest')
order.setAttribute('aria-label', 'Order')

await loadPage(async () => {
  const account = await requireAccount()
  showView(
    await guestNotice(account),
    h('form', { class: 'row library-search', role: 'search' }, h('div', { class: 'grow' }, search), order),
    count,
    list,
    more,
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  search.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(draw, 250)
  })
  search.form!.addEventListener('submit', (event) => event.preventDefault())
  order.addEventListener('change', () => draw())
  await draw()
})

async function draw(page = 1): Promise<void> {
  const words = search.value.trim()
  const found = await callApi(listLibrary, {
    query: {
      ...(words !== '' && { q: words }),
      sort: order.value as Order,
      page: String(page),
      per_page: String(perPage),
    },
  })
  // The user has typed on, and a newer search is on its way.
  if (words !== search.value.trim()) return
  if (page === 1) list.replaceChildren()
  list.append(...found.data.map(item))
  count.textContent =
    words === '' ? (found.total > 0 ? plural(found.total, 'Post') : '') : `${plural(found.total, 'Post')} found`
  more.replaceChildren()
  if (found.total > page * perPage) more.append(button('More', () => draw(page + 1)))
  if (found.total === 0 && words === '')
    more.append(
      h(
        'span',
        { class: 'empty' },
        'Nothing yet. What you buy is kept here, with its receipt. ',
        h('a', { href: '/?access=paid' }, 'See what is for sale'),
        '.',
      ),
    )
}

function item({ post, grantedAt, payment }: LibraryItem): HTMLElement {
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h(
        'p',
        {},
        h(
          'a',
          // A withdrawn post has no page; its buyers read it on the receipt.
          {
            class: 'title',
            dir: 'auto',
            href: post.status === 'published' ? `/posts/${post.id}` : `/library/${post.id}`,
          },
          post.title,
        ),
        post.status === 'withdrawn' && [' ', h('span', { class: 'badge' }, 'withdrawn')],
      ),
      post.description !== '' && h('p', { class: 'quiet', dir: 'auto' }, post.description),
      h(
        'p',
        { class: 'facts' },
        avatar(post.author),
        ' ',
        h('a', { href: `/@${post.author.handle}` }, h('bdi', {}, post.author.name)),
        `, ${formatDate(grantedAt)}`,
        payment && `, ${payment.amount} ${payment.asset}`,
      ),
    ),
    h('a', { class: 'button quiet-button small', href: `/library/${post.id}` }, 'Receipt'),
  )
}

/** A notice about purchases that were made as a guest. */
async function guestNotice({ isGuest }: Account): Promise<HTMLElement | false> {
  if (isGuest)
    return h(
      'p',
      { class: 'notice' },
      'You are here as a guest, in this browser alone. ',
      h('a', { href: '/settings/email' }, 'Add your email'),
      ' or ',
      h('a', { href: '/settings/wallets' }, 'a wallet'),
      ', and your purchases are yours on every device.',
    )
  const kept = await unclaimedPurchases()
  if (kept.length === 0) return false
  const element = h(
    'section',
    { class: 'notice', 'aria-label': 'Bought as a guest' },
    h(
      'p',
      {},
      `${plural(kept.length, 'purchase')} of this browser ${kept.length === 1 ? 'was' : 'were'} made as a guest: ${kept.map(({ title }) => title).join(', ')}.`,
    ),
    button('Move into my account', async () => {
      for (const { checkoutId, credential } of kept) {
        await callApi(claimCheckout, { params: { checkoutId }, body: { checkoutCredential: credential } })
        removeGuestPurchase(checkoutId)
      }
      element.remove()
      showToast('They are yours now.')
      await draw()
    }),
  )
  return element
}

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

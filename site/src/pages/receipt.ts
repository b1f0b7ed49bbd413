import { getAccess } from '@pennypost/contract/access'
import { type LibraryItem, listLibrary } from '@pennypost/contract/library'
import { callApi } from '../call-api.ts'
import { getElement, h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime, formatSize } from '../format.ts'
import { loadPage } from '../load-page.ts'
import { makeScrollable } from '../make-scrollable.ts'
import { requireAccount } from '../session.ts'
import { showView } from '../show-view.ts'
import { setSanitizedHtml } from '../ui/set-sanitized-html.ts'

// The receipt for a post, to print. Buyers also read a withdrawn post here.

const { section: postId = '' } = getElement('main').dataset
const rails = { XNO: 'Nano', USDC: 'USDC on Base' } as const

await loadPage(async () => {
  const { name, handle } = await requireAccount()
  const { data } = await callApi(listLibrary, { query: { post_id: postId, per_page: '1' } })
  const [found] = data
  if (!found) {
    showView(
      h('p', { class: 'empty' }, 'You have not bought this Post. ', h('a', { href: '/library' }, 'Your library')),
    )
    return
  }
  showView(receipt(found, `${name} (@${handle})`))
  if (found.post.status === 'withdrawn') await showText()
})

function receipt({ post, grantedAt, payment }: LibraryItem, buyer: string): HTMLElement {
  const facts: (readonly [string, Node | string] | false | null)[] = [
    ['Post', h('a', { href: post.status === 'published' ? `/posts/${post.id}` : '#text', dir: 'auto' }, post.title)],
    ['Author', h('a', { href: `/@${post.author.handle}` }, `${post.author.name} (@${post.author.handle})`)],
    ['Bought by', buyer],
    ['On', formatDateTime(grantedAt)],
    payment && ['Paid', h('b', {}, `${payment.amount} ${payment.asset}`)],
    payment && ['With', rails[payment.asset]],
    payment?.payer ? ['From', h('code', {}, payment.payer)] : false,
    payment && payment.transactions.length > 0
      ? [payment.asset === 'XNO' ? 'Block' : 'Transaction', h('code', {}, payment.transactions.join(' '))]
      : false,
    payment && ['Number', h('code', {}, payment.id)],
  ]
  return h(
    'section',
    { class: 'receipt', 'aria-label': 'Receipt' },
    h(
      'dl',
      {},
      facts
        .filter((fact) => fact !== false && fact !== null)
        .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    ),
    h('p', { class: 'hint' }, `${location.host}. One payment, read for good, also if the Post is withdrawn.`),
    h(
      'div',
      { class: 'row' },
      post.status === 'published' && h('a', { class: 'button small', href: `/posts/${post.id}` }, 'Read'),
      button('Print', () => print()),
      h('a', { href: '/library' }, 'Library'),
    ),
  )
}

async function showText(): Promise<void> {
  const reply = await callApi(getAccess, { params: { postId } })
  if (!('access' in reply)) return
  const text = h('div', { class: 'prose', dir: 'auto', id: 'text' })
  setSanitizedHtml(text, reply.contentHtml + (reply.paidContentHtml ?? ''))
  getElement('[data-view]').append(
    h('p', { class: 'notice' }, 'The author has withdrawn this Post. You bought it, so you read it here.'),
    text,
    (reply.attachments.length > 0 &&
      h(
        'ul',
        { class: 'rows' },
        reply.attachments.map(({ filename, downloadUrl, sizeBytes }) =>
          h(
            'li',
            {},
            h('a', { href: downloadUrl, download: filename }, filename),
            h('span', { class: 'quiet' }, formatSize(sizeBytes)),
          ),
        ),
      )) ||
      '',
  )
  makeScrollable(text)
}

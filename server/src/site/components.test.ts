import { deepEqual, doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { AppPage } from '@pennypost/site/components/app-page'
import { Avatar } from '@pennypost/site/components/avatar'
import { Comment, type CommentContent } from '@pennypost/site/components/comment'
import { CommentsSection } from '@pennypost/site/components/comments-section'
import { Name } from '@pennypost/site/components/person-link'
import { formatPrice, formatUsd } from '@pennypost/site/components/price'
import { ReactionButtons } from '@pennypost/site/components/reactions'
import { type Children, renderToString } from '@pennypost/site/jsx/markup'
import { attributeOf, elementsOf, markupErrors, textOf } from './site-world.fixture.ts'

const counts = { thumbs_up: 0, heart: 2, fire: 0, clap: 0 }
const author = { handle: 'ada', name: 'Ada', avatarUrl: null, authorKind: 'human' } as const
const comment: CommentContent = {
  id: '1',
  threadRootId: '1',
  author,
  createdAt: '2026-01-31T23:59:59.000Z',
  content: 'Hello',
  mentioned: {},
  counts,
}
const inPage = (markup: Children) => `<!doctype html><title>A page</title><body>${renderToString(markup)}</body>`

test('what people write is text in elements and in attributes', () => {
  const hostile = `"><img src=x onerror='alert(1)'>&amp;`
  const shown = renderToString([
    Name({ of: hostile }),
    Comment({ comment: { ...comment, content: hostile, author: { ...author, name: hostile } } }),
    Avatar({ person: { name: 'Ada', avatarUrl: `/${hostile}` } }),
    AppPage({ title: hostile, section: hostile }),
  ])
  deepEqual(markupErrors(inPage(shown)), [])
  doesNotMatch(shown, /<img src=x|onerror='/)
  equal(
    textOf(
      elementsOf(`<!doctype html>${renderToString(Name({ of: hostile }))}`).find(({ tagName }) => tagName === 'bdi'),
    ),
    hostile,
  )
})

test('direction overrides and control characters are removed from names and comments', () => {
  const turned = 'turned \u202e around\u0007'
  const shown = renderToString(
    Comment({ comment: { ...comment, content: turned, author: { ...author, name: turned } } }),
  )
  doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069\u0007]/)
  match(shown, /<bdi>turned around<\/bdi>/)
})

test('prices are in dollars first, with what is less than a cent in full', () => {
  const usd = (amount: string | null) => formatUsd(amount)
  deepEqual(['1234.5', '0.3125', '0.01', '0.0031', '0.000001', '0', null].map(usd), [
    '$1234.50',
    '$0.31',
    '$0.01',
    '$0.0031',
    '$0.000001',
    undefined,
    undefined,
  ])
  type Priced = Parameters<typeof formatPrice>[0]
  const priced = (xno: string | null, rate: string | null, amount: string) =>
    ({ effectivePrice: { xno, usd: rate }, paymentOffers: [{ asset: 'USDC', amount, derived: null }] }) as Priced
  equal(formatPrice(priced('0.2', '0.25', '0.25')), '$0.25 · 0.2 XNO')
  equal(formatPrice(priced(null, null, '0.25')), '0.25 USDC')
  equal(formatPrice({ ...priced(null, null, '0'), paymentOffers: [] }), undefined)
  // Without a rate there is no amount in the other asset: the post is not free for that.
  const withoutRate = [
    { asset: 'USDC', amount: null, derived: null },
    { asset: 'XNO', amount: '0.25', derived: null },
  ] as Priced['paymentOffers']
  equal(formatPrice({ ...priced('0.25', null, '0'), paymentOffers: withoutRate }), '0.25 XNO')
})

test('attributes: true is there, false is not, and aria says which; listeners are left to the browser', () => {
  const disabled = renderToString(ReactionButtons({ counts, mine: 'heart' }))
  match(disabled, / disabled[ >]/)
  match(disabled, /data-reaction="heart" aria-pressed="true"/)
  match(disabled, /data-reaction="fire" aria-pressed="false"/)
  const enabled = renderToString(ReactionButtons({ counts, onReact: () => {} }))
  doesNotMatch(enabled, /disabled|onClick|=>/i)
})

test('an object that only looks like markup is refused', () => {
  throws(() => renderToString(JSON.parse('{"text":"<script>"}')))
})

test('a discussion shows threads with their replies, and what to do without a form', () => {
  const comments = [comment, { ...comment, id: '2', threadRootId: '2' }, { ...comment, id: '3', content: null }]
  const elements = elementsOf(
    inPage(CommentsSection({ postId: 'p', comments, count: 2, isOpen: true, hasMore: false })),
  )
  const ids = elements
    .filter((found) => attributeOf(found, 'class') === 'comment')
    .map((found) => attributeOf(found, 'id'))
  deepEqual(ids, ['comment-1', 'comment-3', 'comment-2'])
  const times = elements.filter(({ tagName }) => tagName === 'time').map(textOf)
  equal(times[0], '31 January 2026')
  ok(elements.some((found) => attributeOf(found, 'href') === '/sign-in?next=%2Fposts%2Fp%23comments&for=comment'))
  ok(!elements.some((found) => attributeOf(found, 'data-more-comments') !== undefined))
})

import { getMe } from '@pennypost/contract/me'
import { createPost, deletePost, listPosts, type Post } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatTimeAgo, plural } from '../format.ts'
import { loadPage } from '../load-page.ts'
import { randomUuid } from '../random-uuid.ts'
import { requireAccount } from '../session.ts'
import { showView } from '../show-view.ts'
import { untitled } from '../studio/draft.ts'
import { tabs } from '../tabs.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

// The author's own posts, last changed first.

const states = [
  [undefined, 'All'],
  ['draft', 'Drafts'],
  ['published', 'Published'],
  ['withdrawn', 'Withdrawn'],
] as const
const perPage = 24

await loadPage(async () => {
  await requireAccount()
  await draw(undefined, 1)
})

async function draw(status: Post['status'] | undefined, page: number): Promise<void> {
  const [me, { data, total }] = await Promise.all([
    callApi(getMe, {}),
    callApi(listPosts, { query: { ...(status && { status }), page: String(page), per_page: String(perPage) } }),
  ])
  showView(
    h(
      'p',
      { class: 'row' },
      button('Write a Post', startDraft, ''),
      h('a', { class: 'button quiet-button', href: '/studio/earnings/overview' }, 'Earnings'),
      h('a', { class: 'button quiet-button', href: '/studio/gift-links' }, 'Gift links'),
      h('a', { class: 'button quiet-button', href: '/settings/keys' }, 'Publishing keys'),
    ),
    me.publication.blockers.length > 0 &&
      h(
        'div',
        { class: 'notice' },
        h('p', {}, h('b', {}, 'Before you publish')),
        h(
          'ul',
          {},
          me.publication.blockers.map(({ field, message }) =>
            h('li', {}, h('a', { href: settingFor(field) }, message)),
          ),
        ),
      ),
    tabs('Which posts', states, status, (value) => draw(value, 1)),
    data.length === 0
      ? h('p', { class: 'empty' }, status ? 'None.' : 'Nothing yet. The first Post takes a title.')
      : h(
          'ul',
          { class: 'rows' },
          data.map((post) => row(post, me.profile.pinnedPostId === post.id, () => draw(status, page))),
        ),
    total > perPage &&
      h(
        'div',
        { class: 'row apart' },
        page > 1 ? button('Newer', () => draw(status, page - 1)) : h('span'),
        h('span', { class: 'quiet' }, `Page ${page}`),
        page * perPage < total ? button('Older', () => draw(status, page + 1)) : h('span'),
      ),
  )
}

function settingFor(field: string): string {
  return field === 'receivingAddress' ? '/settings/receiving' : '/settings/profile'
}

async function startDraft(): Promise<void> {
  const { id } = await callApi(createPost, { idempotencyKey: randomUuid(), body: { title: untitled } })
  location.assign(`/studio/posts/${id}`)
}

function row(post: Post, isPinned: boolean, redraw: () => Promise<void>): HTMLElement {
  const { id, title, status, updatedAt, blockers, enablePaywall, effectivePrice } = post
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h('p', {}, h('a', { class: 'title', href: `/studio/posts/${id}` }, title)),
      h(
        'p',
        { class: 'facts' },
        h('span', { class: status === 'published' ? 'badge good' : 'badge' }, status),
        isPinned && [' ', h('span', { class: 'badge' }, 'pinned')],
        ` changed ${formatTimeAgo(updatedAt)}`,
        enablePaywall && effectivePrice.xno ? `, ${effectivePrice.xno} XNO` : '',
        status === 'draft' && blockers.length > 0 ? `, ${plural(blockers.length, 'thing')} left to do` : '',
      ),
    ),
    h(
      'div',
      { class: 'row' },
      status === 'published' && h('a', { class: 'button quiet-button small', href: `/posts/${id}` }, 'View'),
      h('a', { class: 'button quiet-button small', href: `/studio/posts/${id}` }, 'Edit'),
      status === 'published' &&
        button(
          isPinned ? 'Unpin' : 'Pin',
          async () => {
            await callApi(updateProfile, { body: { pinnedPostId: isPinned ? null : id } })
            await redraw()
          },
          'text-button',
        ),
      status === 'draft' &&
        button(
          'Delete',
          async () => {
            if ((await confirmAction(`Delete “${title}”?`, 'Delete')) === undefined) return
            await callApi(deletePost, { params: { postId: id }, headers: { 'x-post-revision': updatedAt } })
            await redraw()
          },
          'text-button',
        ),
    ),
  )
}

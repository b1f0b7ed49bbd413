import { getMe } from '@pennypost/contract/me'
import { createPost, deletePost, listPosts, type Post } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import { formatTimeAgo, plural } from '../format.ts'
import { postPath } from '../paths.ts'
import { randomUuid } from '../random-uuid.ts'
import { requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { untitled } from '../studio/draft.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { showPage } from '../ui/show-page.tsx'
import { TabButtons } from '../ui/tab-buttons.tsx'

// The author's own posts, last changed first.

type Status = Post['status'] | undefined

const states: readonly (readonly [Status, string])[] = [
  [undefined, 'All'],
  ['draft', 'Drafts'],
  ['published', 'Published'],
  ['withdrawn', 'Unpublished'],
]
const perPage = 24

async function load(status: Status, page: number) {
  const [me, { data, total }] = await Promise.all([
    callApi(getMe, {}),
    callApi(listPosts, { query: { ...(status && { status }), page: String(page), per_page: String(perPage) } }),
  ])
  return { status, page, me, posts: data, total }
}

function Studio({ first }: { readonly first: Awaited<ReturnType<typeof load>> }) {
  const [{ status, page, me, posts, total }, setShown] = useState(first)
  const show = async (wanted: Status, wantedPage: number) => setShown(await load(wanted, wantedPage))
  const select = (chosen: Status) => show(chosen, 1).catch((error: unknown) => showToast(errorMessage(error)))
  const { blockers } = me.publication
  return (
    <>
      <p class="row">
        <Button class="" action={startDraft}>
          Write a post
        </Button>
        <a class="button quiet-button" href="/studio/earnings/overview">
          Earnings
        </a>
        <a class="button quiet-button" href="/studio/gift-links">
          Gift links
        </a>
        <a class="button quiet-button" href="/settings/keys">
          Publishing keys
        </a>
      </p>
      {blockers.length > 0 && (
        <div class="notice">
          <p>
            <b>Before you publish</b>
          </p>
          <ul>
            {blockers.map(({ field, message }) => (
              <li key={field}>
                <a href={settingFor(field)}>{message}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <TabButtons<Status> label="Which posts" options={states} current={status} onSelect={select} />
      {posts.length === 0 && (
        <p class="empty">{status ? 'None.' : 'No posts yet. All you need for the first is a title.'}</p>
      )}
      <ul class="rows">
        {posts.map((post) => (
          <PostRow
            key={post.id}
            post={post}
            isPinned={me.profile.pinnedPostId === post.id}
            onChange={() => show(status, page)}
          />
        ))}
      </ul>
      {total > perPage && (
        <div class="row apart">
          {page > 1 ? <Button action={() => show(status, page - 1)}>Newer</Button> : <span />}
          <span class="quiet">Page {page}</span>
          {page * perPage < total ? <Button action={() => show(status, page + 1)}>Older</Button> : <span />}
        </div>
      )}
    </>
  )
}

const settingFor = (field: string): string =>
  field === 'receivingAddress' ? '/settings/receiving' : '/settings/profile'

async function startDraft(): Promise<void> {
  const { id } = await callApi(createPost, { idempotencyKey: randomUuid(), body: { title: untitled } })
  location.assign(`/studio/posts/${id}`)
}

interface PostRowProps {
  readonly post: Post
  readonly isPinned: boolean
  readonly onChange: () => Promise<void>
}

function PostRow({ post, isPinned, onChange }: PostRowProps) {
  const { id, title, status, updatedAt, blockers, enablePaywall, effectivePrice } = post
  const pin = async () => {
    await callApi(updateProfile, { body: { pinnedPostId: isPinned ? null : id } })
    await onChange()
  }
  const remove = async () => {
    if ((await confirmAction(`Delete “${title}”?`, 'Delete')) === undefined) return
    await callApi(deletePost, { params: { postId: id }, headers: { 'x-post-revision': updatedAt } })
    await onChange()
  }
  const isPublished = status === 'published'
  return (
    <li data-item="">
      <div>
        <p>
          <a class="title" dir="auto" href={`/studio/posts/${id}`}>
            {title}
          </a>
        </p>
        <p class="facts">
          <span class={isPublished ? 'badge good' : 'badge'}>{status === 'withdrawn' ? 'unpublished' : status}</span>{' '}
          {isPinned && <span class="badge">pinned</span>} updated {formatTimeAgo(updatedAt)}
          {enablePaywall && effectivePrice.xno && `, ${effectivePrice.xno} XNO`}
          {status === 'draft' && blockers.length > 0 && `, ${plural(blockers.length, 'thing')} left to do`}
        </p>
      </div>
      <div class="row">
        {isPublished && (
          <a class="button quiet-button small" href={postPath(id)}>
            View
          </a>
        )}
        <a class="button quiet-button small" href={`/studio/posts/${id}`}>
          Edit
        </a>
        {isPublished && (
          <Button class="text-button" action={pin}>
            {isPinned ? 'Unpin' : 'Pin'}
          </Button>
        )}
        {status === 'draft' && (
          <Button class="text-button" action={remove}>
            Delete
          </Button>
        )}
      </div>
    </li>
  )
}

// Last, because it needs everything above.
await showPage(async () => {
  await requireAccount()
  return <Studio first={await load(undefined, 1)} />
})

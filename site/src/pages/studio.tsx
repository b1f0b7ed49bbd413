import { getMe } from '@pennypost/contract/me'
import { createPost, deletePost, listPosts, type Post } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { unschedulePost } from '@pennypost/contract/publishing'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import { formatDateTime, formatTimeAgo, plural } from '../format.ts'
import { postPath } from '../paths.ts'
import { randomUuid } from '../random-uuid.ts'
import { requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { shareOf } from '../statistics/share.ts'
import { byKey } from '../studio/by-key.ts'
import { untitled } from '../studio/draft.ts'
import { openRelatedDialog } from '../studio/open-related-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { showPage } from '../ui/show-page.tsx'
import { TabButtons } from '../ui/tab-buttons.tsx'

// The author's own posts, last changed first.

type Status = Post['status'] | 'scheduled' | undefined

const states: readonly (readonly [Status, string])[] = [
  [undefined, 'All'],
  ['published', 'Published'],
  ['draft', 'Drafts'],
  ['scheduled', 'Scheduled'],
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
        <a class="button quiet-button" href="/studio/statistics">
          Statistics
        </a>
        <a class="button quiet-button" href="/studio/earnings/overview">
          Earnings
        </a>
        <a class="button quiet-button" href="/studio/subscribers">
          Subscribers
        </a>
        <a class="button quiet-button" href="/studio/series">
          Series
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
        <p class="empty">
          {status ? (
            'None.'
          ) : (
            <>
              No posts yet. All you need for the first is a title. Or bring your posts along from{' '}
              <a href="/docs/moving">Ghost, Substack, WordPress, Medium or Markdown files</a>.
            </>
          )}
        </p>
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
  const { id, title, status, scheduledFor, updatedAt, blockers, enablePaywall, effectivePrice, figures, writtenByKey } =
    post
  const pin = async () => {
    await callApi(updateProfile, { body: { pinnedPostId: isPinned ? null : id } })
    await onChange()
  }
  const remove = async () => {
    if ((await confirmAction(`Delete “${title}”?`, 'Delete')) === undefined) return
    await callApi(deletePost, { params: { postId: id }, headers: { 'x-post-revision': updatedAt } })
    await onChange()
  }
  const unschedule = async () => {
    await callApi(unschedulePost, { params: { postId: id } })
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
          <span class={isPublished ? 'badge good' : 'badge'}>
            {scheduledFor ? 'scheduled' : status === 'withdrawn' ? 'unpublished' : status}
          </span>{' '}
          {isPinned && <span class="badge">pinned</span>}{' '}
          {scheduledFor ? `for ${formatDateTime(scheduledFor)}` : `updated ${formatTimeAgo(updatedAt)}`}
          {byKey(writtenByKey)}
          {enablePaywall && effectivePrice.xno && `, ${effectivePrice.xno} XNO`}
          {status === 'draft' && blockers.length > 0 && `, ${plural(blockers.length, 'thing')} left to do`}
        </p>
        {status !== 'draft' && <FiguresLine figures={figures} isSold={enablePaywall} />}
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
        {status !== 'draft' && (
          <a class="button quiet-button small" href={`/studio/posts/${id}/statistics`}>
            Statistics
          </a>
        )}
        {scheduledFor && (
          <Button class="text-button" action={unschedule}>
            Cancel schedule
          </Button>
        )}
        {isPublished && (
          <Button class="text-button" action={() => openRelatedDialog(post)}>
            Read next
          </Button>
        )}
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

interface FiguresLineProps {
  readonly figures: Post['figures']
  readonly isSold: boolean
}

/** The figures of a post since it was created. */
function FiguresLine({ figures: { readers, paywallViews, sales, comments }, isSold }: FiguresLineProps) {
  const share = shareOf(sales, paywallViews)
  return (
    <p class="facts">
      {plural(readers, 'reader')}
      {(isSold || sales > 0) && ` · ${plural(sales, 'sale')}${share ? ` (${share} of paywall views)` : ''}`} ·{' '}
      {plural(comments, 'comment')}
    </p>
  )
}

// Last, because it needs everything above.
await showPage(async () => {
  await requireAccount()
  return <Studio first={await load(undefined, 1)} />
})

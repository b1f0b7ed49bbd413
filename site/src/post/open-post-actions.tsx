import { getBookmark } from '@pennypost/contract/bookmarks'
import { getPostMute, updatePostMute } from '@pennypost/contract/notifications'
import type { ReactionSummary } from '@pennypost/contract/reaction-summary'
import { getPostReactions, reactToPost } from '@pennypost/contract/reactions'
import { reportPost } from '@pennypost/contract/reports'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import type { openTipDialog } from '../checkout/open-tip-dialog.tsx'
import { pendingTip } from '../checkout/purchase-storage.ts'
import { PostActions } from '../components/post-actions.tsx'
import { getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { propsOf } from '../props-of.ts'
import { randomUuid } from '../random-uuid.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { BookmarkButton } from './bookmark-button.tsx'
import { useReactions } from './use-reactions.ts'

interface ActionsProps {
  readonly postId: string
  readonly authorId: string
  readonly viewer: Account | null
  readonly isForSale: boolean
}

interface ServerProps {
  readonly counts: ReactionSummary['counts']
  readonly tipLabel: string | undefined
}

/** Makes the buttons below a post work, and adds those that need a script. */
export async function openPostActions(actions: ActionsProps): Promise<void> {
  const place = getElement('[data-post-acts]')
  const params = { postId: actions.postId }
  const { counts, tipLabel } = propsOf<ServerProps>(place)
  const [{ summary }, { muted }, { bookmarked }] = actions.viewer
    ? await Promise.all([
        callApi(getPostReactions, { params }),
        callApi(getPostMute, { params }),
        callApi(getBookmark, { params }),
      ])
    : [{ summary: { counts, viewerReaction: null } }, { muted: false }, { bookmarked: false }]
  render(
    <LivePostActions {...actions} summary={summary} tipLabel={tipLabel} isMuted={muted} isSaved={bookmarked} />,
    place,
  )
  // The author has just published it.
  if (location.hash === '#share') {
    history.replaceState(null, '', location.pathname)
    await share()
  }
  // The reader left while a tip was being paid.
  const tip = pendingTip(actions.postId)
  if (tip && tip.account === (actions.viewer?.id ?? null))
    await openTip({ postId: actions.postId, comment: tip.comment })
}

async function openTip(tipped: Parameters<typeof openTipDialog>[0]): Promise<void> {
  const { openTipDialog: open } = await import('../checkout/open-tip-dialog.tsx')
  await open(tipped)
}

interface LivePostActionsProps extends ActionsProps {
  readonly summary: Omit<ReactionSummary, 'total'>
  readonly tipLabel: string | undefined
  readonly isMuted: boolean
  readonly isSaved: boolean
}

function LivePostActions(props: LivePostActionsProps) {
  const { postId, authorId, viewer, isForSale, summary, tipLabel, isMuted, isSaved } = props
  const params = { postId }
  const reactions = useReactions(summary, viewer, (reaction) => callApi(reactToPost, { params, body: { reaction } }))
  const isOwn = viewer?.id === authorId
  const tip = () => openTip({ postId })
  const openGiftLink = async () => (await import('../checkout/open-gift-link-dialog.tsx')).openGiftLinkDialog(postId)
  return (
    <PostActions {...reactions} tipLabel={isOwn ? undefined : tipLabel} onTip={tip}>
      <span class="row">
        <BookmarkButton postId={postId} viewer={viewer} isSaved={isSaved} />
        <Button class="text-button" action={share}>
          Share
        </Button>
        {isOwn && isForSale && (
          <Button class="text-button" action={openGiftLink}>
            Gift link
          </Button>
        )}
        {isOwn && (
          <a class="text-button" href={`/studio/posts/${postId}`}>
            Edit
          </a>
        )}
        {viewer && !isOwn && (
          <Button class="text-button" action={() => report(postId)}>
            Report
          </Button>
        )}
        {viewer && <MuteButton postId={postId} isMuted={isMuted} />}
      </span>
    </PostActions>
  )
}

function MuteButton({ postId, isMuted: first }: { readonly postId: string; readonly isMuted: boolean }) {
  const [isMuted, setMuted] = useState(first)
  const toggle = async () => {
    const { muted } = await callApi(updatePostMute, { params: { postId }, body: { muted: !isMuted } })
    setMuted(muted)
    showToast(muted ? 'You hear no more of this discussion.' : 'You hear of this discussion again.')
  }
  return (
    <Button class="text-button" action={toggle}>
      {isMuted ? 'Unmute' : 'Mute'}
    </Button>
  )
}

/** Shares the canonical URL: the one of this page may have a gift token or an old title. */
async function share(): Promise<void> {
  const { openShareDialog } = await import('./open-share-dialog.tsx')
  const { href: url } = getElement<HTMLLinkElement>('link[rel=canonical]')
  openShareDialog({ title: getElement('h1').textContent.trim(), url })
}

async function report(postId: string): Promise<void> {
  const reason = await confirmAction('Report this Post?', 'Report', 'What is wrong with it?')
  if (reason === undefined) return
  await callApi(reportPost, { params: { postId }, idempotencyKey: randomUuid(), body: { reason } })
  showToast('Thank you. An administrator will look at it.')
}

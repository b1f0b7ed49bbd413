import { deletePost } from '@pennypost/contract/posts'
import { unschedulePost } from '@pennypost/contract/publishing'
import { callApi } from '../call-api.ts'
import { postPath } from '../paths.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import type { Draft } from './draft.ts'

interface PublishedButtonsProps {
  readonly draft: Draft
  readonly onUnpublish: () => Promise<void>
}

/** The buttons for a published post. */
export function PublishedButtons({ draft, onUnpublish }: PublishedButtonsProps) {
  const { id, enablePaywall } = draft.post
  const openGiftLink = async () => (await import('../checkout/open-gift-link-dialog.tsx')).openGiftLinkDialog(id)
  return (
    <div class="row">
      {enablePaywall && <Button action={openGiftLink}>Gift link</Button>}
      <Button action={onUnpublish}>Unpublish</Button>
      <a class="button small" href={postPath(id)}>
        View
      </a>
    </div>
  )
}

interface UnpublishedButtonsProps {
  readonly draft: Draft
  /** Whether a time in the future is chosen. */
  readonly isLater: boolean
  readonly canPublish: boolean
  readonly onPublish: () => Promise<void>
}

/** Publishes or schedules a post, cancels its schedule, or deletes a draft. */
export function UnpublishedButtons({ draft, isLater, canPublish, onPublish }: UnpublishedButtonsProps) {
  const { id, status, scheduledFor } = draft.post
  const remove = async () => {
    if ((await confirmAction("Delete this draft? This can't be undone.", 'Delete')) === undefined) return
    await draft.afterSaving((headers) => callApi(deletePost, { params: { postId: id }, headers }))
    location.assign('/studio')
  }
  return (
    <div class="row">
      {scheduledFor ? (
        <Button class="text-button" action={() => draft.withdraw(unschedulePost)}>
          Cancel the schedule
        </Button>
      ) : (
        status === 'draft' && (
          <Button class="text-button" action={remove}>
            Delete
          </Button>
        )
      )}
      <Button class="" isDisabled={draft.problem !== undefined || !canPublish} action={onPublish}>
        {isLater ? 'Schedule' : status === 'draft' ? 'Publish now' : 'Publish again'}
      </Button>
    </div>
  )
}

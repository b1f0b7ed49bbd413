import { createGiftLink, disableGiftLink, type GiftLink, getGiftLink } from '@pennypost/contract/gift-links'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate, plural } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'

/** Lets an author create, copy and revoke the gift link of a post. */
export async function openGiftLinkDialog(postId: string): Promise<void> {
  const { giftLink } = await callApi(getGiftLink, { params: { postId } })
  openDialog(
    { 'aria-labelledby': 'gift-title' },
    <>
      <h2 id="gift-title">Gift link</h2>
      <GiftLinkCard postId={postId} first={giftLink} />
      <CloseButton />
    </>,
  )
}

interface GiftLinkCardProps {
  readonly postId: string
  readonly first: GiftLink | null
}

function GiftLinkCard({ postId, first }: GiftLinkCardProps) {
  const params = { postId }
  const [link, setLink] = useState(first)
  if (!link) {
    const create = async () => setLink((await callApi(createGiftLink, { params })).giftLink)
    return (
      <div class="card">
        <p>Anyone with the link can read the whole post and download its files without paying.</p>
        <Button class="" action={create}>
          Create a gift link
        </Button>
      </div>
    )
  }
  const revoke = async () => {
    const question = 'Revoke this link? It stops working for everyone.'
    if ((await confirmAction(question, 'Revoke link')) === undefined) return
    setLink((await callApi(disableGiftLink, { params })).giftLink)
    showToast('The link no longer works.')
  }
  return (
    <div class="card">
      <Copyable name="Link" value={link.url} />
      <p class="facts">
        Created {formatDate(link.createdAt)}, used {plural(link.uses, 'time')}
      </p>
      <Button class="danger small" action={revoke}>
        Revoke link
      </Button>
    </div>
  )
}

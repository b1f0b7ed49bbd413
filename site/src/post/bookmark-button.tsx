import { addBookmark, removeBookmark } from '@pennypost/contract/bookmarks'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'

interface BookmarkButtonProps {
  readonly postId: string
  readonly viewer: Account | null
  readonly isSaved: boolean
}

/** Saves the post for later, or removes it again. */
export function BookmarkButton({ postId, viewer, isSaved: first }: BookmarkButtonProps) {
  const [isSaved, setSaved] = useState(first)
  const toggle = async () => {
    if (!viewer) return redirectToSignIn('save')
    const { bookmarked } = await callApi(isSaved ? removeBookmark : addBookmark, { params: { postId } })
    setSaved(bookmarked)
    showToast(bookmarked ? 'Saved. It is in your library.' : 'Removed from your library.')
  }
  return (
    <Button class="text-button" aria-pressed={isSaved} action={toggle}>
      {isSaved ? 'Saved' : 'Save'}
    </Button>
  )
}

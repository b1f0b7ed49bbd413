import type { CommentSort } from '@pennypost/contract/comments'
import { errorMessage } from '../error-message.ts'
import { findElement, getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { propsOf } from '../props-of.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'
import type { Post } from './discussion.tsx'
import { TipButton } from './tip-button.tsx'

/**
 * Makes the comments interactive. Signed-in readers get them again, with their own reactions; others when they want more or
 * another order. The code for that is loaded only then.
 */
export async function openDiscussion(post: Post, viewer: Account | null): Promise<void> {
  const section = getElement('#comments')
  const show = async (sort: CommentSort = 'oldest') => {
    const { showDiscussion } = await import('./discussion.tsx')
    await showDiscussion({ section, post, viewer, sort })
  }
  if (!viewer) {
    openForGuest(post, section, show)
    return
  }
  await show()
  // The comment that the URL points to may not have been on the page before.
  if (location.hash.startsWith('#comment-'))
    document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'center' })
}

function openForGuest(post: Post, section: HTMLElement, show: (sort?: CommentSort) => Promise<void>): void {
  const tryToShow = (sort?: CommentSort) => show(sort).catch((error: unknown) => showToast(errorMessage(error)))
  for (const place of section.querySelectorAll<HTMLElement>('[data-tip]'))
    render(<TipButton postId={post.id} comment={propsOf(place)} />, place)
  findElement('[data-more-comments]', section)?.addEventListener('click', () => tryToShow())
  const select = findElement<HTMLSelectElement>('[data-sort-comments]', section)
  select?.addEventListener('change', async () => {
    await tryToShow(select.value as CommentSort)
    getElement('[data-sort-comments]', section).focus()
  })
}

import { getAccess, type PostAccess } from '@pennypost/contract/access'
import { callApi } from '../call-api.ts'
import { findElement, h } from '../dom.ts'
import { setSanitizedHtml } from '../ui/set-sanitized-html.ts'

/** Loads the paid part and shows it in place of the paywall. Returns false if the user has no access. */
export async function loadFullText(postId: string, message?: string): Promise<boolean> {
  const reply = await callApi(getAccess, { params: { postId } })
  if (!('access' in reply)) return false
  showFullText(reply, message)
  return true
}

/** Shows the paid part in place of the paywall. With a `message` (after a purchase) it also scrolls and focuses there. */
export function showFullText(access: PostAccess, message?: string): void {
  const { postId, entitlement, paidContentHtml } = access
  const text = h('div', { class: 'prose', dir: 'auto', tabindex: -1, 'data-whole': true })
  setSanitizedHtml(text, paidContentHtml ?? '')
  const note = h(
    'p',
    { class: 'bought', lang: 'en' },
    access.access === 'owner' ? 'Your readers pay from here on.' : 'You bought what follows.',
    entitlement && access.access === 'purchased' && [' ', h('a', { href: `/library/${postId}` }, 'Receipt')],
    message !== undefined && [' ', h('span', { role: 'status' }, message)],
  )
  findElement('[data-paywall]')?.replaceWith(note, text)
  makeScrollable(text)
  showFiles(access)
  if (message === undefined) return
  text.classList.add('arrives')
  text.focus({ preventScroll: true })
  note.scrollIntoView({ block: 'start', behavior: 'smooth' })
}

/** Makes wide code and tables focusable, so that they can be scrolled with the keyboard. */
export function makeScrollable(prose: ParentNode): void {
  for (const wide of prose.querySelectorAll<HTMLElement>('pre, table'))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0
}

/** Adds download links to the post's files. */
function showFiles({ postId, access, attachments }: PostAccess): void {
  for (const { id, filename, downloadUrl } of attachments) {
    const place = findElement(`[data-file="${id}"]`)
    if (!place) continue
    // A wallet's signature opens the text only. Files need a session.
    const isSignature = access === 'wallet' && !document.documentElement.hasAttribute('data-signed-in')
    const [href, label] = isSignature
      ? [`/sign-in?next=/posts/${postId}`, 'Sign in to download']
      : [downloadUrl, 'Download']
    const properties = { href, ...(!isSignature && { download: filename }), 'aria-label': `${label}: ${filename}` }
    place.append(h('a', { class: 'button quiet-button small', ...properties }, label))
  }
}

import { getAccess, type PostAccess } from '@pennypost/contract/access'
import { callApi } from '../call-api.ts'
import { findElement, h } from '../dom.ts'
import { setTrustedHtml } from '../set-trusted-html.ts'

// The rest of a Post, in the place where it was for sale.

/** Reads the whole Post as whoever is signed in; with words where it was bought just now. False: it is still for sale. */
export async function loadFullText(postId: string, words?: string): Promise<boolean> {
  const reply = await callApi(getAccess, { params: { postId } })
  if (!('access' in reply)) return false
  showFullText(reply, words)
  return true
}

/** Nothing of the page is loaded anew: the text takes the paywall's place. With words it is gone to, and they are said. */
export function showFullText(access: PostAccess, words?: string): void {
  const { postId, entitlement, paidContentHtml } = access
  const text = h('div', { class: 'prose', dir: 'auto', tabindex: -1, 'data-whole': true })
  setTrustedHtml(text, paidContentHtml ?? '')
  const note = h(
    'p',
    { class: 'bought', lang: 'en' },
    access.access === 'owner' ? 'Your readers pay from here on.' : 'You bought what follows.',
    entitlement && access.access === 'purchased' && [' ', h('a', { href: `/library/${postId}` }, 'Receipt')],
    words !== undefined && [' ', h('span', { role: 'status' }, words)],
  )
  findElement('[data-paywall]')?.replaceWith(note, text)
  makeScrollable(text)
  showFiles(access)
  if (words === undefined) return
  text.classList.add('arrives')
  text.focus({ preventScroll: true })
  note.scrollIntoView({ block: 'start', behavior: 'smooth' })
}

/** What is wider than the page scrolls, by the keyboard too. */
export function makeScrollable(prose: ParentNode): void {
  for (const wide of prose.querySelectorAll<HTMLElement>('pre, table'))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0
}

/** Files come with the Post: their names get a way to the bytes. */
function showFiles({ postId, access, attachments }: PostAccess): void {
  for (const { id, filename, downloadUrl } of attachments) {
    const place = findElement(`[data-file="${id}"]`)
    if (!place) continue
    // A signature for the text opens the text; its files are fetched as somebody who is signed in.
    const isSignature = access === 'wallet' && !document.documentElement.hasAttribute('data-signed-in')
    const [href, words] = isSignature
      ? [`/sign-in?next=/posts/${postId}`, 'Sign in to download']
      : [downloadUrl, 'Download']
    const properties = { href, ...(!isSignature && { download: filename }), 'aria-label': `${words}: ${filename}` }
    place.append(h('a', { class: 'button quiet-button small', ...properties }, words))
  }
}

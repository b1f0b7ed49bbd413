import type { PostAccess } from '@pennypost/contract/access'
import type { Attachment } from '@pennypost/contract/posts'
import { useEffect, useRef } from 'preact/hooks'
import { AttachmentList, type FileLink } from '../components/attachment-list.tsx'
import { Prose } from '../components/sanitized-html.tsx'
import { findElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { makeScrollable } from '../make-scrollable.ts'
import { postPath } from '../paths.ts'
import { signInPath } from '../redirect-to-sign-in.ts'
import type { Account } from '../session.ts'
import { SavePurchase } from './save-purchase.tsx'

interface FullTextProps {
  readonly access: PostAccess
  readonly viewer: Account | null
  /** Set after a purchase. It is shown beside the text, which is scrolled to and focused. */
  readonly message?: string | undefined
}

/** The paid part, in place of the paywall. */
export function FullText({ access, viewer, message }: FullTextProps) {
  const note = useRef<HTMLParagraphElement>(null)
  const text = useRef<HTMLDivElement>(null)
  const isNew = message !== undefined
  const isGuest = access.access === 'purchased' && viewer?.isGuest === true
  useEffect(() => {
    makeScrollable(text.current!)
    if (!isNew) return
    text.current!.focus({ preventScroll: true })
    note.current!.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }, [])
  return (
    <>
      <p class="bought" lang="en" ref={note}>
        {access.access === 'owner' ? 'Your readers pay from here on.' : 'You bought what follows.'}{' '}
        {access.entitlement && access.access === 'purchased' && <a href={`/library/${access.postId}`}>Receipt</a>}{' '}
        {isGuest && <a href="#keep">Save it</a>} {message !== undefined && <span role="status">{message}</span>}
      </p>
      <div class={isNew ? 'arrives' : undefined} tabIndex={-1} data-whole="" ref={text}>
        <Prose html={access.paidContentHtml ?? ''} />
      </div>
      {isGuest && <SavePurchase />}
    </>
  )
}

/** Shows the paid part of a post in its place, and the links to its files. */
export function showFullText(props: FullTextProps): void {
  const { access, viewer } = props
  const place = findElement('[data-paywall]')
  if (place) render(<FullText {...props} />, place)
  const files = findElement('[data-files]')
  if (files) render(<AttachmentList attachments={access.attachments} linkOf={linkOf(access, viewer)} />, files)
}

/** A wallet's signature opens the text only. Files need a session. */
const linkOf =
  ({ access, postId }: PostAccess, viewer: Account | null) =>
  ({ downloadUrl }: Attachment): FileLink =>
    access === 'wallet' && !viewer
      ? { href: signInPath(postPath(postId), 'read'), label: 'Sign in to download', isDownload: false }
      : { href: downloadUrl, label: 'Download', isDownload: true }

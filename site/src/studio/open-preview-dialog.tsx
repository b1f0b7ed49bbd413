import type { Post } from '@pennypost/contract/posts'
import { useState } from 'preact/hooks'
import { formatPrice } from '../components/price.tsx'
import { pathOf } from '../path-of.ts'
import { openDialog } from '../ui/open-dialog.tsx'
import { TabButtons } from '../ui/tab-buttons.tsx'
import { Preview } from './preview.tsx'
import { countWords } from './text/count-words.ts'

type Reader = 'stranger' | 'buyer' | 'card'

const readers: readonly (readonly [Reader, string])[] = [
  ['stranger', 'Everyone'],
  ['buyer', 'Buyers'],
  ['card', 'Link card'],
]

/** Shows a post as people will see it: strangers, buyers, and those who see a link to it. */
export const openPreviewDialog = (post: Post): HTMLDialogElement =>
  openDialog({ class: 'preview-dialog', 'aria-label': 'Preview' }, <PreviewTabs post={post} />)

function PreviewTabs({ post }: { readonly post: Post }) {
  const [reader, setReader] = useState<Reader>('stranger')
  const { id, title, description, freeContentMarkdown, paidContentMarkdown, math, enablePaywall } = post
  const options = enablePaywall ? readers : readers.filter(([each]) => each !== 'buyer')
  return (
    <>
      <form method="dialog" class="row apart">
        <TabButtons<Reader> label="Preview for" options={options} current={reader} onSelect={setReader} />
        <button type="submit" class="quiet-button small">
          Close
        </button>
      </form>
      {reader === 'card' ? (
        <LinkCard post={post} />
      ) : (
        <article class="preview-page">
          <h1 dir="auto">{title}</h1>
          {description !== '' && (
            <p class="lead" dir="auto">
              {description}
            </p>
          )}
          <Preview postId={id} part="free" markdown={freeContentMarkdown} hasMath={math} />
          {enablePaywall && reader === 'stranger' && (
            <p class="notice">
              <b>Keep reading</b>: {countWords(paidContentMarkdown)} more words for{' '}
              {formatPrice(post) ?? 'a price you set'}.
            </p>
          )}
          {enablePaywall && reader === 'buyer' && (
            <Preview postId={id} part="paid" markdown={paidContentMarkdown} hasMath={math} />
          )}
        </article>
      )}
    </>
  )
}

/** How other sites show a link to the post. */
const LinkCard = ({ post: { title, description, ogImageUrl } }: { readonly post: Post }) => (
  <div class="link-preview">
    {ogImageUrl ? <img src={pathOf(ogImageUrl)} alt="" /> : <p class="link-preview-image">{title}</p>}
    <p class="quiet">{location.host}</p>
    <p>
      <b dir="auto">{title}</b>
    </p>
    <p dir="auto">{description}</p>
  </div>
)

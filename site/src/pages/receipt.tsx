import { getAccess } from '@pennypost/contract/access'
import { isDeletedHandle } from '@pennypost/contract/deleted-account'
import { type LibraryItem, listLibrary } from '@pennypost/contract/library'
import { useEffect, useRef } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { oneLine } from '../clean-text.ts'
import { PersonPage } from '../components/person-link.tsx'
import { Prose } from '../components/sanitized-html.tsx'
import { formatDateTime, formatSize } from '../format.ts'
import { getElement } from '../get-element.ts'
import type { Children } from '../jsx/markup.ts'
import { makeScrollable } from '../make-scrollable.ts'
import { postPath } from '../paths.ts'
import { requireAccount } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { showPage } from '../ui/show-page.tsx'

// The receipt for a post, to print. Buyers also read an unpublished post here.

const { section: postId = '' } = getElement('main').dataset
const rails = { XNO: 'Nano', USDC: 'USDC on Base' } as const

interface ReceiptProps {
  readonly item: LibraryItem
  readonly buyer: string
}

function Receipt({ item: { post, grantedAt, payment }, buyer }: ReceiptProps) {
  const isPublished = post.status === 'published'
  return (
    <section class="receipt" aria-label="Receipt">
      <dl>
        <Fact name="Post">
          <a href={isPublished ? postPath(post.id) : '#text'} dir="auto">
            {oneLine(post.title)}
          </a>
        </Fact>
        <Fact name="Author">
          <PersonPage handle={post.author.handle}>
            {oneLine(post.author.name)}
            {!isDeletedHandle(post.author.handle) && ` (@${post.author.handle})`}
          </PersonPage>
        </Fact>
        <Fact name="Bought by">{buyer}</Fact>
        <Fact name="On">{formatDateTime(grantedAt)}</Fact>
        {payment && <Payment payment={payment} />}
      </dl>
      <p class="hint">{location.host}. Pay once, keep it forever, even if the post is unpublished.</p>
      <div class="row">
        {isPublished && (
          <a class="button small" href={postPath(post.id)}>
            Read
          </a>
        )}
        <Button action={() => print()}>Print</Button>
        <a href="/library">Library</a>
      </div>
    </section>
  )
}

const Payment = ({ payment }: { readonly payment: NonNullable<LibraryItem['payment']> }) => (
  <>
    <Fact name="Paid">
      <b>
        {payment.amount} {payment.asset}
      </b>
    </Fact>
    <Fact name="With">{rails[payment.asset]}</Fact>
    {payment.payer && (
      <Fact name="From">
        <code>{payment.payer}</code>
      </Fact>
    )}
    {payment.transactions.length > 0 && (
      <Fact name={payment.asset === 'XNO' ? 'Block' : 'Transaction'}>
        <code>{payment.transactions.join(' ')}</code>
      </Fact>
    )}
    <Fact name="Number">
      <code>{payment.id}</code>
    </Fact>
  </>
)

const Fact = ({ name, children }: { readonly name: string; readonly children: Children }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

/** Reads an unpublished post as its buyer; undefined if that is not possible. */
async function loadText() {
  const reply = await callApi(getAccess, { params: { postId } })
  return 'access' in reply ? reply : undefined
}

type Access = NonNullable<Awaited<ReturnType<typeof loadText>>>

function UnpublishedText({ access: { contentHtml, paidContentHtml, attachments } }: { readonly access: Access }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => makeScrollable(place.current!), [])
  return (
    <>
      <p class="notice">The author has unpublished this post. You bought it, so you can read it here.</p>
      <div id="text" ref={place}>
        <Prose html={contentHtml + (paidContentHtml ?? '')} />
      </div>
      <ul class="rows">
        {attachments.map(({ filename, downloadUrl, sizeBytes }) => (
          <li key={downloadUrl}>
            <a href={downloadUrl} download={filename}>
              {filename}
            </a>
            <span class="quiet">{formatSize(sizeBytes)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

// Last, because it needs everything above.
await showPage(async () => {
  const { name, handle } = await requireAccount()
  const { data } = await callApi(listLibrary, { query: { post_id: postId, per_page: '1' } })
  const [found] = data
  if (!found)
    return (
      <p class="empty">
        You have not bought this post. <a href="/library">Your library</a>
      </p>
    )
  const access = found.post.status === 'withdrawn' ? await loadText() : undefined
  return (
    <>
      <Receipt item={found} buyer={`${name} (@${handle})`} />
      {access && <UnpublishedText access={access} />}
    </>
  )
})

import { disableGiftLink, type ListedGiftLink, listGiftLinks } from '@pennypost/contract/gift-links'
import { callApi } from '../call-api.ts'
import { oneLine } from '../clean-text.ts'
import { formatDate, plural } from '../format.ts'
import { postPath } from '../paths.ts'
import { requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { showPage } from '../ui/show-page.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

async function load(cursor?: string): Promise<ListPage<ListedGiftLink>> {
  const { giftLinks, pagination } = await callApi(listGiftLinks, { query: { ...(cursor !== undefined && { cursor }) } })
  return { items: giftLinks, cursor: pagination.nextCursor }
}

/** The gift links of all posts of the author. */
function GiftLinks({ first }: { readonly first: ListPage<ListedGiftLink> }) {
  const { items, more, reload } = useListPages(first, load)
  if (items.length === 0)
    return (
      <p class="empty">
        No gift links yet. Open a paid post of yours and choose “Gift link”. <a href="/studio">Go to your posts</a>.
      </p>
    )
  return (
    <>
      <ul class="rows">
        {items.map((link) => (
          <GiftLinkRow key={link.token} link={link} onRevoked={reload} />
        ))}
      </ul>
      {more}
    </>
  )
}

interface GiftLinkRowProps {
  readonly link: ListedGiftLink
  readonly onRevoked: () => Promise<void>
}

function GiftLinkRow({ link: { post, url, uses, createdAt }, onRevoked }: GiftLinkRowProps) {
  const isPublished = post.status === 'published'
  const revoke = async () => {
    const question = 'Revoke this link? It stops working for everyone.'
    if ((await confirmAction(question, 'Revoke link')) === undefined) return
    await callApi(disableGiftLink, { params: { postId: post.id } })
    showToast('The link no longer works.')
    await onRevoked()
  }
  return (
    <li data-item="">
      <div class="grow">
        <p>
          <a class="title" dir="auto" href={isPublished ? postPath(post.id) : `/studio/posts/${post.id}`}>
            {oneLine(post.title)}
          </a>
        </p>
        <p class="facts">
          Used {plural(uses, 'time')}, created {formatDate(createdAt)}
          {!isPublished && '. The post is unpublished, so the link does not work now.'}
        </p>
        <Copyable name="Link" value={url} />
      </div>
      <Button class="danger small" action={revoke}>
        Revoke link
      </Button>
    </li>
  )
}

// Last, because it needs everything above.
await showPage(async () => {
  await requireAccount()
  return <GiftLinks first={await load()} />
})

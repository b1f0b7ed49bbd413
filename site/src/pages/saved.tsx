import { listBookmarks, removeBookmark } from '@pennypost/contract/bookmarks'
import { callApi } from '../call-api.ts'
import { cardOfSummary } from '../components/card-of-summary.ts'
import { type PostCardContent, PostList } from '../components/post-list.tsx'
import { requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { showPage } from '../ui/show-page.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

async function load(cursor?: string): Promise<ListPage<PostCardContent>> {
  const { data, nextCursor } = await callApi(listBookmarks, { query: cursor === undefined ? {} : { cursor } })
  const items = data.map((post) => ({ ...cardOfSummary(post), author: post.author, publishedAt: post.publishedAt }))
  return { items, cursor: nextCursor }
}

function SavedPosts({ first }: { readonly first: ListPage<PostCardContent> }) {
  const { items, reload, more } = useListPages(first, load)
  const remove = async (postId: string) => {
    await callApi(removeBookmark, { params: { postId } })
    await reload()
    showToast('Removed.')
  }
  if (items.length === 0)
    return (
      <p class="empty">
        Nothing saved yet. “Save” below a post keeps it here for later. <a href="/">Find something to read</a>.
      </p>
    )
  return (
    <>
      <PostList
        posts={items}
        actionOf={({ id }) => (
          <Button class="text-button" action={() => remove(id)}>
            Remove
          </Button>
        )}
      />
      {more}
    </>
  )
}

await showPage(async () => {
  await requireAccount('saved')
  return <SavedPosts first={await load()} />
})

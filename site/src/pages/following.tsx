import { listFollowedPosts } from '@pennypost/contract/followed-posts'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { cardOfSummary } from '../components/card-of-summary.ts'
import { type PostCardContent, PostList } from '../components/post-list.tsx'
import { requireAccount } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { showPage } from '../ui/show-page.tsx'

interface FollowingData {
  readonly posts: readonly PostCardContent[]
  readonly nextCursor: string | null
}

async function load(cursor?: string): Promise<FollowingData> {
  const { data, nextCursor } = await callApi(listFollowedPosts, { query: cursor === undefined ? {} : { cursor } })
  const posts = data.map((post) => ({
    ...cardOfSummary(post),
    author: post.author,
    publishedAt: post.publishedAt,
  }))
  return { posts, nextCursor }
}

function FollowedPosts({ first }: { readonly first: FollowingData }) {
  const [{ posts, nextCursor }, setLoaded] = useState(first)
  const loadMore = async () => {
    const next = await load(nextCursor!)
    setLoaded({ ...next, posts: [...posts, ...next.posts] })
  }
  if (posts.length === 0)
    return (
      <p class="empty">
        No posts yet. Follow authors to see what they publish: find them among the{' '}
        <a href="/leaderboards">top authors</a> or in <a href="/">recommended posts</a>.
      </p>
    )
  return (
    <>
      <PostList posts={posts} />
      {nextCursor !== null && <Button action={loadMore}>Show more</Button>}
    </>
  )
}

await showPage(async () => {
  await requireAccount('following')
  return <FollowedPosts first={await load()} />
})

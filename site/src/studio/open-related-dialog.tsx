import { getPost, listPosts, type Post } from '@pennypost/contract/posts'
import { chooseRelatedPosts, getChosenPosts, maxChosenPosts } from '@pennypost/contract/series'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { plural } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'

const perPage = 48

type Choice = Pick<Post, 'id' | 'title' | 'status'>

/** Lets an author choose what readers of a post are shown next, and in which order. */
export async function openRelatedDialog(post: Choice): Promise<void> {
  const params = { postId: post.id }
  const [{ postIds }, { data, total }] = await Promise.all([
    callApi(getChosenPosts, { params }),
    callApi(listPosts, { query: { status: 'published', per_page: String(perPage) } }),
  ])
  const known = new Map<string, Choice>(data.map((each) => [each.id, each]))
  // Includes posts that were unpublished since, and older ones that the list does not contain.
  for (const postId of postIds.filter((id) => !known.has(id)))
    known.set(postId, await callApi(getPost, { params: { postId } }))
  openDialog(
    { 'aria-labelledby': 'related-dialog-title' },
    <>
      <h2 id="related-dialog-title">Read next</h2>
      <p class="quiet">
        What readers of “<Name of={post.title} />” are shown after it. Similar posts follow.
      </p>
      <RelatedPosts
        postId={post.id}
        first={postIds}
        known={known}
        offered={data.filter(({ id }) => id !== post.id)}
        isCut={total > perPage}
      />
      <CloseButton />
    </>,
  )
}

interface RelatedPostsProps {
  readonly postId: string
  readonly first: readonly string[]
  readonly known: ReadonlyMap<string, Choice>
  readonly offered: readonly Choice[]
  /** Whether the author has more posts than are offered. */
  readonly isCut: boolean
}

function RelatedPosts({ postId, first, known, offered, isCut }: RelatedPostsProps) {
  const [ids, setIds] = useState(first)
  const [said, setSaid] = useState('')
  const change = (changed: readonly string[]) => {
    setIds(changed)
    setSaid('Not saved yet.')
  }
  const move = (from: number, to: number) => change(ids.toSpliced(from, 1).toSpliced(to, 0, ids[from]!))
  const save = async () => {
    const saved = await callApi(chooseRelatedPosts, { params: { postId }, body: { postIds: [...ids] } })
    setIds(saved.postIds)
    setSaid(saved.postIds.length === 0 ? 'Saved: none.' : `Saved: ${plural(saved.postIds.length, 'post')}.`)
  }
  const free = offered.filter(({ id }) => !ids.includes(id))
  return (
    <>
      {ids.length === 0 && <p class="empty">None chosen. Readers see similar posts.</p>}
      <ol class="rows">
        {ids.map((id, index) => {
          const { title, status } = known.get(id)!
          return (
            <li key={id}>
              <p>
                <Name of={title} /> {status !== 'published' && <span class="badge">not public</span>}
              </p>
              <div class="row">
                {index > 0 && (
                  <Button action={() => move(index, index - 1)}>
                    Up<span class="visually-hidden">: {title}</span>
                  </Button>
                )}
                {index < ids.length - 1 && (
                  <Button action={() => move(index, index + 1)}>
                    Down<span class="visually-hidden">: {title}</span>
                  </Button>
                )}
                <Button class="text-button" action={() => change(ids.toSpliced(index, 1))}>
                  Remove<span class="visually-hidden">: {title}</span>
                </Button>
              </div>
            </li>
          )
        })}
      </ol>
      {ids.length < maxChosenPosts && free.length > 0 && (
        <label class="field">
          Add a post
          <select
            value=""
            onChange={({ currentTarget }) => {
              const { value } = currentTarget
              currentTarget.value = ''
              if (value !== '') change([...ids, value])
            }}
          >
            <option value="">Choose…</option>
            {free.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      {isCut && <p class="quiet">Your {perPage} most recently changed posts can be added.</p>}
      <div class="row">
        <Button class="" action={save}>
          Save
        </Button>
        <span role="status">{said}</span>
      </div>
    </>
  )
}

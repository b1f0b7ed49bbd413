import { listPosts, type Post } from '@pennypost/contract/posts'
import { createSeries, deleteSeries, listSeries, type Series, updateSeries } from '@pennypost/contract/series'
import { useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { errorMessage } from '../error-message.ts'
import { plural } from '../format.ts'
import { requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Form } from '../ui/form.tsx'
import { showPage } from '../ui/show-page.tsx'

// The author's series: posts to read in a certain order.

const perPage = 48

async function load() {
  const [{ series }, { data, total }] = await Promise.all([
    callApi(listSeries, {}),
    callApi(listPosts, { query: { per_page: String(perPage) } }),
  ])
  return { series, posts: data, total }
}

function SeriesPage({ first }: { readonly first: Awaited<ReturnType<typeof load>> }) {
  const [{ series, posts, total }, setShown] = useState(first)
  const reload = async () => setShown(await load())
  const taken = new Set(series.flatMap(({ posts: members }) => members.map(({ postId }) => postId)))
  const free = posts.filter(({ id }) => !taken.has(id))
  const create = async (fields: FormData) => {
    await callApi(createSeries, { body: { title: String(fields.get('title')), postIds: [] } })
    await reload()
  }
  return (
    <>
      {series.length === 0 && <p class="empty">No series yet. Posts of a series link to the one before and after.</p>}
      {series.map((each) => (
        <SeriesBox key={each.id} series={each} free={free} onChange={reload} />
      ))}
      {total > perPage && <p class="quiet">Your {perPage} most recently changed posts can be added.</p>}
      <h2>New series</h2>
      <Form key={series.length} submit="Create series" send={create}>
        {(errors) => (
          <label class="field">
            Title
            <input name="title" required maxlength={200} autocomplete="off" />
            {errors.title && <span class="error">{errors.title}</span>}
          </label>
        )}
      </Form>
    </>
  )
}

interface SeriesBoxProps {
  readonly series: Series
  /** Posts that are in no series. */
  readonly free: readonly Post[]
  readonly onChange: () => Promise<void>
}

function SeriesBox({ series: { id, title, posts }, free, onChange }: SeriesBoxProps) {
  const status = useRef<HTMLParagraphElement>(null)
  const ids = posts.map(({ postId }) => postId)
  const save = async (postIds: readonly string[], said: string) => {
    await callApi(updateSeries, { params: { seriesId: id }, body: { title, postIds: [...postIds] } })
    await onChange()
    if (status.current) status.current.textContent = said
  }
  const move = (from: number, to: number) => {
    const moved = ids.toSpliced(from, 1).toSpliced(to, 0, ids[from]!)
    return save(moved, `“${posts[from]!.title}” is number ${to + 1} now.`)
  }
  const rename = async (fields: FormData) => {
    const body = { title: String(fields.get('title')), postIds: ids }
    await callApi(updateSeries, { params: { seriesId: id }, body })
    showToast('Saved.')
    await onChange()
  }
  const remove = async () => {
    if ((await confirmAction(`Delete the series “${title}”? Its posts stay.`, 'Delete')) === undefined) return
    await callApi(deleteSeries, { params: { seriesId: id } })
    await onChange()
  }
  const add = (event: Event) => {
    const choice = event.currentTarget as HTMLSelectElement
    const postId = choice.value
    choice.value = ''
    if (postId === '') return
    save([...ids, postId], 'Added.').catch((error: unknown) => showToast(errorMessage(error)))
  }
  return (
    <section class="series" aria-label={title}>
      <Form
        submit="Rename"
        send={rename}
        actions={
          <Button class="text-button" action={remove}>
            Delete
          </Button>
        }
      >
        {(errors) => (
          <label class="field">
            Title
            <input name="title" required maxlength={200} autocomplete="off" defaultValue={title} />
            {errors.title && <span class="error">{errors.title}</span>}
          </label>
        )}
      </Form>
      <p class="quiet">
        {posts.length === 0 ? 'No posts in it yet.' : `${plural(posts.length, 'post')}, in this order:`}
      </p>
      <ol class="rows">
        {posts.map((post, index) => (
          <li key={post.postId} data-item="">
            <div>
              <p>
                <a class="title" href={`/studio/posts/${post.postId}`}>
                  <Name of={post.title} />
                </a>{' '}
                {post.status !== 'published' && (
                  <span class="badge">{post.status === 'draft' ? 'draft' : 'unpublished'}</span>
                )}
              </p>
            </div>
            <div class="row">
              {index > 0 && (
                <Button class="quiet-button small" action={() => move(index, index - 1)}>
                  Up<span class="visually-hidden">: {post.title}</span>
                </Button>
              )}
              {index < posts.length - 1 && (
                <Button class="quiet-button small" action={() => move(index, index + 1)}>
                  Down<span class="visually-hidden">: {post.title}</span>
                </Button>
              )}
              <Button class="text-button" action={() => save(ids.toSpliced(index, 1), 'Removed.')}>
                Remove<span class="visually-hidden">: {post.title}</span>
              </Button>
            </div>
          </li>
        ))}
      </ol>
      {free.length > 0 && (
        <label class="field">
          Add a post
          <select onChange={add}>
            <option value="">Choose…</option>
            {free.map((post) => (
              <option key={post.id} value={post.id}>
                {post.title}
              </option>
            ))}
          </select>
        </label>
      )}
      <p class="visually-hidden" role="status" ref={status} />
    </section>
  )
}

// Last, because it needs everything above.
await showPage(async () => {
  await requireAccount()
  return <SeriesPage first={await load()} />
})

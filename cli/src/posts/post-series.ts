import { CliError } from '../frame/cli-error.ts'
import type { Pushing } from './pushing.ts'

/** Puts a post at the end of the series with this title, unless it is part of it. A new title makes a new series. */
export async function putInSeries(
  { shell, pennypost }: Pushing,
  title: unknown,
  postId: string,
): Promise<{ isChanged: boolean }> {
  if (title === undefined || title === null || title === '') return { isChanged: false }
  if (typeof title !== 'string')
    throw new CliError('failed', 'invalid-front-matter', 'series in the front matter must be the title of a series.')
  const { signal } = shell
  const { series } = (await pennypost.operations.listSeries({}, { signal })).body
  const found = series.find((each) => each.title.toLowerCase() === title.trim().toLowerCase())
  if (found?.posts.some((post) => post.postId === postId)) return { isChanged: false }
  const postIds = [...(found?.posts.map((post) => post.postId) ?? []), postId]
  if (found)
    await pennypost.operations.updateSeries(
      { params: { seriesId: found.id }, body: { title: found.title, postIds } },
      { signal },
    )
  else await pennypost.operations.createSeries({ body: { title: title.trim(), postIds } }, { signal })
  return { isChanged: true }
}

/** The title of the first series that has a post. */
export async function seriesOf(
  { shell, pennypost }: Omit<Pushing, 'store'>,
  postId: string,
): Promise<string | undefined> {
  const { series } = (await pennypost.operations.listSeries({}, { signal: shell.signal })).body
  return series.find(({ posts }) => posts.some((post) => post.postId === postId))?.title
}

import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { postNotFound } from './posts.ts'
import { refusal } from './refusal.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

// The orders in which an author offers posts: series, and what to read after a post.

export const maxSeries = 200
export const maxSeriesPosts = 200
export const maxChosenPosts = 6

const Series = z
  .object({
    id: Uuid,
    title: z.string(),
    createdAt: DateTime,
    posts: z
      .array(z.object({ postId: Uuid, title: z.string(), status: z.enum(['draft', 'published', 'withdrawn']) }))
      .meta({ description: 'In their order. Readers see the published ones.' }),
  })
  .meta({ id: 'Series' })
export type Series = z.infer<typeof Series>

const distinct = (ids: readonly string[]): boolean => new Set(ids).size === ids.length
const postIds = (most: number) =>
  z.array(Uuid).max(most).refine(distinct, 'must not contain a post twice').meta({ description: 'Ids of your posts.' })

const SeriesInput = z
  .strictObject({ title: trimmedText(1, 200), postIds: postIds(maxSeriesPosts) })
  .meta({ id: 'SeriesInput' })

export const seriesNotFound = refusal('series-not-found', 404, 'You have no series with this id.')
export const postInSeries = refusal(
  'post-in-series',
  409,
  'A post can be in one series. Take it out of the other one first.',
  {
    postId: Uuid,
    seriesId: Uuid,
  },
)
export const seriesLimit = refusal('series-limit', 409, `You can have at most ${maxSeries} series.`)

const publishing = {
  tag: 'Series',
  credential: 'publishing-key',
  errors: 'problem',
} as const
const limits = limitsByAccountAndAddress('series', { account: 600, address: 3000, seconds: 600 })
const params = z.object({ seriesId: Uuid })

export const listSeries = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/series',
  summary: 'List your series',
  description: 'Oldest first, each with its posts in their order.',
  replies: { 200: z.object({ series: z.array(Series) }) },
})

export const createSeries = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/series',
  summary: 'Create a series',
  description: 'Posts in a series link to the one before and the one after.',
  request: { body: SeriesInput },
  replies: { 201: Series },
  refusals: [postNotFound, postInSeries, seriesLimit],
  limits,
})

export const updateSeries = endpoint({
  ...publishing,
  method: 'PUT',
  path: '/api/v1/series/{seriesId}',
  summary: 'Rename a series, or change its posts or their order',
  description: '`postIds` replaces all posts of the series.',
  request: { params, body: SeriesInput },
  replies: { 200: Series },
  refusals: [seriesNotFound, postNotFound, postInSeries],
  limits,
})

export const deleteSeries = endpoint({
  ...publishing,
  method: 'DELETE',
  path: '/api/v1/series/{seriesId}',
  summary: 'Delete a series',
  description: 'Its posts stay.',
  request: { params },
  replies: { 200: z.object({ id: Uuid, deleted: z.literal(true) }) },
  refusals: [seriesNotFound],
  limits,
})

const ChosenPosts = z.object({ postIds: z.array(Uuid) })

export const getChosenPosts = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/related',
  summary: 'Get the posts that you chose to be read after a post',
  description: 'Readers are shown these first, then similar posts.',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: ChosenPosts },
  refusals: [postNotFound],
})

export const chooseRelatedPosts = endpoint({
  ...publishing,
  method: 'PUT',
  path: '/api/v1/posts/{postId}/related',
  summary: 'Choose the posts to be read after a post',
  description: `At most ${maxChosenPosts} of your own posts, in the order in which readers see them. An empty list leaves the choice to us.`,
  request: { params: z.object({ postId: Uuid }), body: z.strictObject({ postIds: postIds(maxChosenPosts) }) },
  replies: { 200: ChosenPosts },
  refusals: [postNotFound],
  limits,
})

import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const categories = [
  ['technology', 'Technology'],
  ['science', 'Science'],
  ['business', 'Business'],
  ['finance', 'Finance'],
  ['politics', 'Politics'],
  ['culture', 'Culture'],
  ['arts', 'Arts'],
  ['fiction', 'Fiction'],
  ['education', 'Education'],
  ['health', 'Health'],
  ['sports', 'Sports'],
  ['lifestyle', 'Lifestyle'],
  ['gaming', 'Gaming'],
  ['other', 'Other'],
] as const
export const Category = z.enum(categories.map(([id]) => id) as [string, ...string[]])

export const listCategories = endpoint({
  method: 'GET',
  path: '/api/categories',
  tag: 'Discovery',
  summary: 'List the categories of posts',
  description: 'The `id` is what a post has as `category`. The list rarely changes.',
  credential: 'none',
  replies: { 200: z.object({ categories: z.array(z.object({ id: z.string(), label: z.string() })) }) },
  errors: 'h3',
  cache: { seconds: 3600 },
})

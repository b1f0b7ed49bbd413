import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { postNotFound } from './posts.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

const GiftLink = z
  .object({
    token: z.string(),
    url: z.string(),
    createdAt: DateTime,
    uses: z.number().int().meta({ description: 'How often somebody read the Post through it.' }),
  })
  .meta({ id: 'GiftLink' })
export type GiftLink = z.infer<typeof GiftLink>

export const postNotPublished = refusal('post-not-published', 409, 'Only a published Post can be given away.')

const giftLink = {
  path: '/api/v1/posts/{postId}/gift-link',
  tag: 'Access',
  credential: 'owner-session',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: z.object({ giftLink: GiftLink.nullable() }) },
  errors: 'h3',
} as const

export const getGiftLink = endpoint({
  ...giftLink,
  method: 'GET',
  summary: 'The gift link of your Post',
  refusals: [postNotFound],
})

export const createGiftLink = endpoint({
  ...giftLink,
  method: 'POST',
  summary: 'Make a gift link, or get the one that is there',
  description: 'Whoever has it reads the Post and its ZIPs without paying, while the Post is published.',
  refusals: [postNotFound, postNotPublished],
})

export const disableGiftLink = endpoint({
  ...giftLink,
  method: 'DELETE',
  summary: 'Disable the gift link: it opens nothing from now on',
  refusals: [postNotFound],
})

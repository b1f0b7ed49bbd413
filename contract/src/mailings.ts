import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { postNotFound } from './posts.ts'
import { DateTime, Uuid } from './schemas.ts'

const Mailing = z
  .object({
    state: z.enum(['running', 'done', 'stopped']).meta({
      description: '`stopped`: the post was unpublished before everyone had it.',
    }),
    recipients: z
      .number()
      .int()
      .meta({ description: 'The subscribers at the first publication, without those who left before their turn.' }),
    sent: z.number().int(),
    failed: z.number().int().meta({ description: 'Refused by mail servers, or it is not known whether they got it.' }),
    skipped: z.number().int().meta({
      description:
        'Imported addresses whose mailbox had as many emails that day, of all authors, as the operator allows.',
    }),
    startedAt: DateTime,
    finishedAt: DateTime.nullable(),
  })
  .meta({ id: 'Mailing' })
export type Mailing = z.infer<typeof Mailing>

export const getMailing = endpoint({
  method: 'GET',
  path: '/api/v1/posts/{postId}/mailing',
  tag: 'Email subscriptions',
  summary: 'See how the email with one of your posts went',
  description: 'Counts only. `mailing` is null if the post was not emailed.',
  credential: 'owner-session',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: z.object({ mailing: Mailing.nullable() }) },
  refusals: [postNotFound],
  errors: 'problem',
})

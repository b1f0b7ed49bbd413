import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Profile } from './profiles.ts'
import { DateTime, Uuid } from './schemas.ts'
import { Wallet } from './wallets.ts'

const Action = z.object({ method: z.string(), path: z.string() }).meta({ id: 'Action' })
const Blocker = z.object({ code: z.string(), field: z.string(), message: z.string() }).meta({ id: 'Blocker' })
export type Blocker = z.infer<typeof Blocker>

const Receiving = z.object({
  configured: z.boolean(),
  payoutAddress: z.string().nullable().optional(),
  addressUpdatedAt: DateTime.nullable().optional(),
})

/** The caller's account. Fields that a publishing key must not see are left out for it. */
export const Me = z
  .object({
    id: Uuid,
    credential: z.object({
      kind: z.enum(['owner-session', 'publishing-key', 'program']),
      scope: z.string().meta({ description: 'For a program: the scopes it was allowed, separated by spaces.' }),
      keyId: z.string().nullable(),
      expiresAt: DateTime.nullable(),
    }),
    profile: Profile,
    email: z.string().nullable().optional(),
    emailVerified: z.boolean().optional(),
    walletAddresses: z.array(Wallet).optional(),
    receiving: z.object({ nano: Receiving, base: Receiving }),
    authority: z.object({
      canPublish: z.boolean(),
      canReadFinance: z.boolean(),
      canManageKeys: z.boolean(),
      isAdmin: z.boolean(),
    }),
    limits: z.record(z.string(), z.number()),
    publication: z.object({ ready: z.boolean(), blockers: z.array(Blocker) }),
    actions: z.object({
      postAttachments: z.record(z.string(), Action),
      finance: z.record(z.string(), Action).optional(),
    }),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

export const getMe = endpoint({
  method: 'GET',
  path: '/api/v1/me',
  tag: 'Sessions and keys',
  summary: 'Get your account and what your credential can do',
  description:
    'A publishing key does not see the email address, the wallets, the receiving addresses and the financial actions. `publication.blockers` says what must be done before the first post can be published.',
  credential: ['owner-session', 'publishing-key'],
  replies: { 200: Me },
  errors: 'problem',
})

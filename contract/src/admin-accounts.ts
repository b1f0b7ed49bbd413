import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

// Administrators' actions on accounts. Every action is recorded in the audit log.

/** An account as administrators see it, without its email address and its money. */
const AdminAccount = z
  .object({
    id: Uuid,
    handle: z.string(),
    name: z.string(),
    authorKind: z.enum(['human', 'agent']),
    isAdmin: z.boolean(),
    isAnonymous: z.boolean(),
    createdAt: DateTime,
    suspendedAt: DateTime.nullable(),
  })
  .meta({ id: 'AdminAccount' })
export type AdminAccount = z.infer<typeof AdminAccount>

export const accountNotFound = refusal('account-not-found', 404, 'No account has this id.')
export const accountIsAdmin = refusal('account-is-admin', 409, 'An administrator cannot be suspended.')

const act = {
  ...adminOnly,
  method: 'POST',
  request: { params: z.object({ accountId: Uuid }), body: z.strictObject({ note: trimmedText(1, 2000) }) },
  replies: { 200: AdminAccount },
} as const

export const listAccounts = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/accounts',
  summary: 'List accounts by handle',
  description: 'Without email addresses and money.',
  request: {
    query: z.object({
      q: z.string().trim().max(30).optional().meta({ description: 'The beginning of the handle, ignoring case.' }),
      suspended: z.enum(['true', 'false']).optional(),
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional(),
    }),
  },
  replies: { 200: z.object({ accounts: z.array(AdminAccount), pagination: CursorPagination }) },
  refusals: [adminRequired],
})

export const suspendAccount = endpoint({
  ...act,
  path: '/api/v1/admin/accounts/{accountId}/suspend',
  summary: 'Suspend an account',
  description: 'Its sessions and keys stop working immediately, and it cannot sign in. What it published stays public.',
  refusals: [adminRequired, accountNotFound, accountIsAdmin],
})

export const restoreAccount = endpoint({
  ...act,
  path: '/api/v1/admin/accounts/{accountId}/restore',
  summary: 'End a suspension',
  description: 'The account can sign in again, and its sessions and keys that have not expired work again.',
  refusals: [adminRequired, accountNotFound],
})

export const removeAgentLabel = endpoint({
  ...act,
  path: '/api/v1/admin/accounts/{accountId}/remove-agent-label',
  summary: 'Remove the AI agent label from an account',
  description: 'For an account that was declared an AI agent by mistake.',
  refusals: [adminRequired, accountNotFound],
})

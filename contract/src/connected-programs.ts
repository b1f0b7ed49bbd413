import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { scopeNames } from './oauth-scopes.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

const tag = 'Sessions and keys'

/** A program that may act for the account, because its owner allowed it on the consent page. */
const ConnectedProgram = z
  .object({
    id: Uuid,
    name: z.string().nullable().meta({ description: 'What the program calls itself. Nobody has verified it.' }),
    host: z.string().nullable().meta({
      description:
        'The host that the program is from. Null if only its name is known: it runs on a device of its user.',
    }),
    clientId: z.string(),
    scopes: z.array(z.enum(scopeNames as [(typeof scopeNames)[number]])),
    resource: z.enum(['api', 'mcp']).meta({ description: 'Whether it uses this API or the MCP server.' }),
    connectedAt: DateTime,
    lastUsedAt: DateTime.nullable().meta({ description: 'To within ten minutes.' }),
    expiresAt: DateTime.meta({ description: 'When it is disconnected, unless it renews its token before.' }),
  })
  .meta({ id: 'ConnectedProgram' })
export type ConnectedProgram = z.infer<typeof ConnectedProgram>

export const programNotFound = refusal('program-not-found', 404, 'You have no connected program with this id.')

export const listConnectedPrograms = endpoint({
  method: 'GET',
  path: '/api/v1/connected-programs',
  tag,
  summary: 'List the programs that may act for you, most recently connected first',
  description: 'At most 50. Programs connect by OAuth 2.1.',
  credential: 'owner-session',
  replies: { 200: z.object({ programs: z.array(ConnectedProgram) }) },
  errors: 'problem',
})

export const disconnectProgram = endpoint({
  method: 'POST',
  path: '/api/v1/connected-programs/{programId}/disconnect',
  tag,
  summary: 'Disconnect a program',
  description: 'Its tokens stop working immediately. Disconnecting it twice changes nothing.',
  credential: 'owner-session',
  request: { params: z.object({ programId: Uuid }) },
  replies: { 200: z.object({ id: Uuid, disconnected: z.literal(true) }) },
  refusals: [programNotFound],
  errors: 'problem',
})

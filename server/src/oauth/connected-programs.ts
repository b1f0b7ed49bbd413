import {
  type disconnectProgram as declaredDisconnect,
  type listConnectedPrograms as declaredList,
  programNotFound,
} from '@pennypost/contract/connected-programs'
import { refuse } from '../platform/http/refuse.ts'
import { endGrant, findGrant, listLiveGrants } from './grant-store.ts'
import type { Handler } from './services.ts'

export const listConnectedPrograms: Handler<typeof declaredList> = async ({ db, clock }, { caller }) => {
  const grants = await listLiveGrants(db, caller.accountId, clock.now())
  return {
    status: 200,
    body: {
      programs: grants.map((grant) => ({
        id: grant.id,
        name: grant.client_name,
        host: grant.client_host,
        clientId: grant.client_id,
        scopes: grant.scopes,
        resource: grant.resource,
        connectedAt: grant.created_at.toISOString(),
        lastUsedAt: grant.last_used_at?.toISOString() ?? null,
        expiresAt: grant.expires_at.toISOString(),
      })),
    },
  }
}

/** Disconnects a program. Also succeeds if it was disconnected before. */
export const disconnectProgram: Handler<typeof declaredDisconnect> = async ({ db, clock }, { caller, params }) => {
  const grant = await findGrant(db, params.programId)
  if (grant?.account_id !== caller.accountId) return refuse(programNotFound)
  await endGrant(db, grant.id, 'owner', clock.now())
  return { status: 200, body: { id: grant.id, disconnected: true } }
}

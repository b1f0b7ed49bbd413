import { type revokeToken as declared, invalidClient } from '@pennypost/contract/oauth'
import { refuse } from '../platform/http/refuse.ts'
import { endGrant, findGrant } from './grant-store.ts'
import { readAccessToken, readRefreshToken } from './grant-tokens.ts'
import type { Handler } from './services.ts'

/** Ends the grant of a token, of either kind. Having the token is enough: a `client_id` is only compared if it is sent. */
export const revokeToken: Handler<typeof declared> = async ({ db, clock, secrets }, { body: { token, client_id } }) => {
  const claims = readAccessToken(secrets, token) ?? readRefreshToken(secrets, token)
  const grant = claims && (await findGrant(db, claims.grantId))
  if (grant && client_id !== undefined && client_id !== grant.client_id) refuse(invalidClient)
  if (grant) await endGrant(db, grant.id, 'program', clock.now())
  return { status: 200 }
}

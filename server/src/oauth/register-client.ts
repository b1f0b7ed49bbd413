import { type registerClient as declared, invalidClientMetadata, invalidRedirectUri } from '@pennypost/contract/oauth'
import { refuse } from '../platform/http/refuse.ts'
import { programName } from './program-name.ts'
import { redirectKind } from './redirect-uri.ts'
import { registeredClientId } from './registered-client.ts'
import type { Handler } from './services.ts'

const grantTypes = ['authorization_code', 'refresh_token']
// A client sends its id in the query of a link.
const maxIdLength = 2000

/**
 * Registers a program under an id that contains the registration. Whatever authentication it asks for, it gets none: we
 * have public clients only, and the reply says so (RFC 7591, section 3.2.1).
 */
export const registerClient: Handler<typeof declared> = async ({ secrets, clock }, { body }) => {
  const { redirect_uris, client_name, grant_types = grantTypes, response_types = ['code'] } = body
  if (!redirect_uris.every((uri) => redirectKind(uri) !== undefined)) refuse(invalidRedirectUri)
  if (!grant_types.includes('authorization_code') || !response_types.includes('code'))
    refuse(invalidClientMetadata, {}, { detail: 'Only the grant type authorization_code with a code is supported.' })
  const name = programName(client_name)
  const client_id = registeredClientId(secrets, { name, redirectUris: redirect_uris })
  if (client_id.length > maxIdLength)
    refuse(invalidClientMetadata, {}, { detail: 'The redirect URIs are too long together. Register fewer.' })
  return {
    status: 201,
    body: {
      client_id,
      client_id_issued_at: Math.floor(clock.now().getTime() / 1000),
      ...(name !== null && { client_name: name }),
      redirect_uris,
      grant_types: grantTypes,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  }
}

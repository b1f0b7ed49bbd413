import {
  type getMcpResource as declaredMcp,
  type getApiResource as declaredResource,
  type getAuthorizationServer as declaredServer,
  mcpPath,
} from '@pennypost/contract/oauth'
import { scopeNames } from '@pennypost/contract/oauth-scopes'
import type { Handler, OAuthServices } from './services.ts'

// All URLs have the origin that the request was sent to: clients compare it with the URL that they requested.

const resource = ({ site }: OAuthServices, origin: string, path: string, what: string) => ({
  resource: origin + path,
  authorization_servers: [origin],
  scopes_supported: [...scopeNames],
  bearer_methods_supported: ['header'],
  resource_name: `${site.settings().name}: ${what}`,
  resource_documentation: `${origin}/docs`,
})

export const getApiResource: Handler<typeof declaredResource> = async (services, { origin }) => ({
  status: 200,
  body: resource(services, origin, '', 'API'),
})

export const getMcpResource: Handler<typeof declaredMcp> = async (services, { origin }) => ({
  status: 200,
  body: resource(services, origin, mcpPath, 'MCP server'),
})

export const getAuthorizationServer: Handler<typeof declaredServer> = async (_services, { origin }) => ({
  status: 200,
  body: {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: [...scopeNames],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [origin, origin + mcpPath],
    service_documentation: `${origin}/docs`,
  },
})

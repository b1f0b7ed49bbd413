import { z } from 'zod'
import { nothing, raw, urlEncoded } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'

// OAuth 2.1 for programs that act for a person: who they are, the consent page, codes and tokens. `docs/oauth.md` describes
// it for the people who write such programs.

/** Where the MCP server is. A token for it is refused by the API, and the other way around. */
export const mcpPath = '/mcp'

export const protectedResourcePath = '/.well-known/oauth-protected-resource'

/** The URL of the metadata of a resource: of the API, or of the MCP server if the path is `/mcp`. */
export const resourceMetadataUrl = (origin: string, path: '' | typeof mcpPath): string =>
  origin + protectedResourcePath + path

const tag = 'OAuth'
const common = { tag, credential: 'none', errors: 'oauth' } as const

// --- Metadata ------------------------------------------------------------------------------------------------------

const ProtectedResource = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
  resource_name: z.string(),
  resource_documentation: z.string(),
})

const metadata = { ...common, method: 'GET', cache: { seconds: 300 } } as const

export const getApiResource = endpoint({
  ...metadata,
  path: protectedResourcePath,
  summary: 'Get the metadata of the API as a protected resource (RFC 9728)',
  replies: { 200: ProtectedResource },
})

export const getMcpResource = endpoint({
  ...metadata,
  path: `${protectedResourcePath}${mcpPath}`,
  summary: 'Get the metadata of the MCP server as a protected resource (RFC 9728)',
  replies: { 200: ProtectedResource },
})

export const getAuthorizationServer = endpoint({
  ...metadata,
  path: '/.well-known/oauth-authorization-server',
  summary: 'Get the metadata of the authorization server (RFC 8414)',
  replies: {
    200: z.object({
      issuer: z.string(),
      authorization_endpoint: z.string(),
      token_endpoint: z.string(),
      registration_endpoint: z.string(),
      revocation_endpoint: z.string(),
      scopes_supported: z.array(z.string()),
      response_types_supported: z.array(z.string()),
      response_modes_supported: z.array(z.string()),
      grant_types_supported: z.array(z.string()),
      token_endpoint_auth_methods_supported: z.array(z.string()),
      revocation_endpoint_auth_methods_supported: z.array(z.string()),
      code_challenge_methods_supported: z.array(z.string()),
      authorization_response_iss_parameter_supported: z.boolean(),
      client_id_metadata_document_supported: z.boolean(),
      protected_resources: z.array(z.string()),
      service_documentation: z.string(),
    }),
  },
})

// --- Authorization -------------------------------------------------------------------------------------------------

// A browser is not sent anywhere with these: what would be an address to send it to may be an attacker's.
export const unknownProgram = refusal('unknown-program', 400, 'We cannot identify the program that this link is from.')
export const redirectNotAllowed = refusal(
  'redirect-not-allowed',
  400,
  'This link would send you to an address that the program has not registered.',
)
export const consentExpired = refusal(
  'consent-expired',
  400,
  'This request has expired or was answered already. Go back to the program and connect again.',
)
export const consentNotYours = refusal(
  'consent-not-yours',
  403,
  'This request belongs to another session. Go back to the program and connect again.',
)

const authorizations = limit('oauth-authorizations', { per: 'ip', max: 300, seconds: 3600 })
const consents = limit('oauth-consents', { per: 'ip', max: 120, seconds: 3600 })

const text = z.string().max(2048)
const sent = z.unknown().optional()
const cookie = z.string().max(16_384).optional()
const page = {
  path: '/oauth/authorize',
  tag,
  credential: 'none',
  errors: 'page',
  cache: 'private',
  sameOriginOnly: true,
} as const

export const showConsent = endpoint({
  ...page,
  method: 'GET',
  summary: 'Ask the person in this browser whether a program may act for them',
  request: {
    // Checked by the handler: errors in the others are reported to the program.
    query: z.object({
      client_id: text,
      redirect_uri: text.optional(),
      state: text.optional(),
      response_type: sent,
      response_mode: sent,
      code_challenge: sent,
      code_challenge_method: sent,
      scope: sent,
      resource: sent,
    }),
    headers: z.object({ cookie }),
  },
  replies: {
    200: raw('text/html; charset=utf-8', 'The consent page.'),
    303: nothing('To the sign-in page, or back to a program on this device with an error.'),
    400: raw(
      'text/html; charset=utf-8',
      'What is wrong with the request, and a link back to the program that sent it.',
    ),
  },
  replyHeaders: { Location: 'Where the browser goes next.' },
  refusals: [unknownProgram, redirectNotAllowed],
  limits: [authorizations],
})

export const decideConsent = endpoint({
  ...page,
  method: 'POST',
  summary: 'Allow or decline what a program asks for',
  request: {
    headers: z.object({ cookie, origin: text.optional(), 'sec-fetch-site': text.optional() }),
    body: urlEncoded(
      z.object({
        request: z.string().max(16_384),
        decision: z.enum(['allow', 'decline']),
        // A box for each scope, if the program asks for several.
        scope: z.union([text, z.array(text).max(20)]).optional(),
      }),
    ),
  },
  replies: { 303: nothing('Back to the program, with a code or an error.') },
  replyHeaders: { Location: 'Where the browser goes next.' },
  refusals: [consentExpired, consentNotYours],
  limits: [consents],
  invalidBody: 400,
})

// --- Tokens --------------------------------------------------------------------------------------------------------

export const invalidClient = refusal('invalid-client', 400, 'No program has this client_id. Register again.')
export const invalidGrant = refusal('invalid-grant', 400, 'The code or token is wrong, expired, used or revoked.')
export const unsupportedGrantType = refusal(
  'unsupported-grant-type',
  400,
  'The grant_type must be authorization_code or refresh_token.',
)
export const invalidScope = refusal('invalid-scope', 400, 'The scope is unknown, or more than was allowed.')
export const invalidTarget = refusal(
  'invalid-target',
  400,
  'The resource does not match the one that the code was issued for.',
)
export const invalidRedirectUri = refusal(
  'invalid-redirect-uri',
  400,
  'A redirect URI must be https, http on this device (127.0.0.1, [::1] or localhost), or have a scheme with a dot.',
)
export const invalidClientMetadata = refusal(
  'invalid-client-metadata',
  400,
  'These client metadata are not supported. See error_description.',
)

const tokenRequests = limit('oauth-tokens', { per: 'ip', max: 6000, seconds: 3600 })
const registrations = limit('oauth-registrations', { per: 'ip', max: 60, seconds: 3600 })

export const issueToken = endpoint({
  ...common,
  method: 'POST',
  path: '/oauth/token',
  summary: 'Exchange a code or a refresh token for tokens',
  request: {
    body: urlEncoded(
      z.object({
        grant_type: text,
        client_id: text,
        code: text.optional(),
        code_verifier: text.optional(),
        redirect_uri: text.optional(),
        refresh_token: text.optional(),
        scope: text.optional(),
        resource: text.optional(),
      }),
    ),
  },
  replies: {
    200: z.object({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z.number().int(),
      refresh_token: z.string(),
      scope: z.string(),
    }),
  },
  refusals: [invalidClient, invalidGrant, unsupportedGrantType, invalidScope, invalidTarget],
  limits: [tokenRequests],
  invalidBody: 400,
})

export const revokeToken = endpoint({
  ...common,
  method: 'POST',
  path: '/oauth/revoke',
  summary: 'Revoke a token and the access it belongs to (RFC 7009)',
  request: {
    body: urlEncoded(z.object({ token: text, token_type_hint: text.optional(), client_id: text.optional() })),
  },
  replies: { 200: nothing('The token does not work, whether or not it did before.') },
  refusals: [invalidClient],
  limits: [tokenRequests],
  invalidBody: 400,
})

export const registerClient = endpoint({
  ...common,
  method: 'POST',
  path: '/oauth/register',
  summary: 'Register a program (RFC 7591)',
  request: {
    body: z.looseObject({
      redirect_uris: z.array(text).min(1).max(10),
      client_name: z.string().max(500).optional(),
      grant_types: z.array(text).max(20).optional(),
      response_types: z.array(text).max(20).optional(),
    }),
  },
  replies: {
    201: z.object({
      client_id: z.string(),
      client_id_issued_at: z.number().int(),
      client_name: z.string().optional(),
      redirect_uris: z.array(z.string()),
      grant_types: z.array(z.string()),
      response_types: z.array(z.string()),
      token_endpoint_auth_method: z.literal('none'),
    }),
  },
  refusals: [invalidRedirectUri, invalidClientMetadata],
  limits: [registrations],
  invalidBody: 400,
})

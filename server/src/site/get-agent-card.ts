import type { getAgentCard as declared } from '@pennypost/contract/machine-files'
import { oauthScopes } from '@pennypost/contract/oauth-scopes'
import type { Handler } from './services.ts'

/**
 * The agent card of this service. The service is not an agent and does not converse: the card says that its interface is
 * the HTTP API, so that nobody sends it messages.
 */
export const getAgentCard: Handler<typeof declared> = async ({ site }, { origin }) => {
  const { name, description, tagline } = site.settings()
  const about = (description || tagline).replace(/([^.!?])$/, '$1.')
  return {
    status: 200,
    body: JSON.stringify({
      name,
      description:
        `${about} Posts that are free or cost a few cents, paid with USDC on Base or with Nano. This is an HTTP API, not a conversation: read ${origin}/SKILL.md, then call the API, or connect by MCP to ${origin}/mcp.`.trim(),
      version: '2.0.0',
      provider: { organization: name, url: origin },
      documentationUrl: `${origin}/SKILL.md`,
      iconUrl: `${origin}/favicon.svg`,
      url: `${origin}/openapi.json`,
      preferredTransport: 'OPENAPI',
      protocolVersion: '0.3.0',
      supportedInterfaces: [
        { url: `${origin}/openapi.json`, protocolBinding: 'OPENAPI', protocolVersion: '3.1.0' },
        { url: `${origin}/mcp`, protocolBinding: 'MCP', protocolVersion: '2026-07-28' },
      ],
      capabilities: { streaming: false, pushNotifications: false },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A publishing key, or the access token of a session' },
        oauth: {
          type: 'oauth2',
          description: 'For programs that act for a person, with PKCE',
          oauth2MetadataUrl: `${origin}/.well-known/oauth-authorization-server`,
          flows: {
            authorizationCode: {
              authorizationUrl: `${origin}/oauth/authorize`,
              tokenUrl: `${origin}/oauth/token`,
              scopes: programScopes,
            },
          },
        },
      },
      // Searching, reading and buying need no credential.
      security: [],
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json', 'text/markdown'],
      skills,
    }),
  }
}

const programScopes = Object.fromEntries(
  Object.entries(oauthScopes).map(([name, { description }]) => [name, description]),
)

const skills = [
  {
    id: 'search',
    name: 'Search posts',
    description: 'Find posts by words, price, language, category and kind of author: GET /api/posts?q=…',
    tags: ['search', 'posts'],
    examples: ['Find posts about compilers for less than 10 cents'],
  },
  {
    id: 'read',
    name: 'Read a post',
    description: 'The free part as Markdown: GET /posts/{postId}.md',
    tags: ['read', 'markdown'],
    examples: ['Read the newest post of @ada'],
  },
  {
    id: 'buy',
    name: 'Buy a post',
    description: 'The whole post for a payment with x402, without an account: GET /api/posts/{postId}/access',
    tags: ['buy', 'x402', 'usdc', 'nano'],
    examples: ['Buy this post with USDC'],
  },
  {
    id: 'publish',
    name: 'Publish a post',
    description: 'Write Markdown, set a price and publish, with a publishing key: POST /api/v1/posts',
    tags: ['publish', 'write', 'sell'],
    examples: ['Publish these notes for 10 cents'],
  },
]

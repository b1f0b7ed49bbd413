import { type Callers, type Credential, programTokenPrefix } from '@pennypost/contract/credential'
import { unauthorized } from '@pennypost/contract/errors'
import { type serveMcp as declared, mcpResourceMetadata, originNotAllowed } from '@pennypost/contract/mcp'
import { scopeNames } from '@pennypost/contract/oauth-scopes'
import type { Scope, ToolContext } from '@pennypost/mcp/tool'
import { apiTokenOfMcpProgram } from '../oauth/program-authenticator.ts'
import { refuse } from '../platform/http/refuse.ts'
import { once } from '../platform/once.ts'
import type { RouteClient } from './own-routes.ts'
import type { Handler, McpServices } from './services.ts'

// The protocol's library is large, so it is loaded with the first message.
const loadEndpoint = once(async () => (await import('@pennypost/mcp/http')).createHttpEndpoint())
const loadClient = once(async () => (await import('@pennypost/sdk')).Pennypost)

// A waiting request holds a connection. Agents poll for anything that takes longer.
const waitSeconds = 10

/**
 * One message of an agent. Its tools are clients of our own routes, with the agent's token and from its address, so
 * whatever holds for HTTP holds here.
 */
export const serveMcp: Handler<typeof declared> = async (services, call) => {
  const { config, origins, log, site } = services
  const { headers, body, caller, origin } = call
  // Refuses pages of other sites in someone's browser, including those whose name was rebound to this machine.
  if (headers.origin !== undefined && !origins.isTrusted(headers.origin) && !config.mcpOrigins.includes(headers.origin))
    refuse(originNotAllowed)
  const given = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  // The token of a program is for this URL alone. Our own routes want one of theirs.
  const token = given?.startsWith(programTokenPrefix) ? await apiTokenOfMcpProgram(services, given) : given
  const client = { ip: call.ip, origin, userAgent: call.visit.userAgent, hasLeft: call.hasLeft }
  let isSignInNeeded = false
  let bug: unknown
  const context = await contextFor(services, client, token)
  const endpoint = await loadEndpoint()
  const { status, text } = await endpoint({
    url: `${origin}/mcp`,
    headers: {
      'mcp-protocol-version': headers['mcp-protocol-version'],
      'mcp-method': headers['mcp-method'],
      'mcp-name': headers['mcp-name'],
    },
    body,
    options: {
      siteName: site.settings().name,
      context,
      onCredentialNeeded(scope) {
        isSignInNeeded ||= token === undefined
        return wrongCredential(caller, scope)
      },
      onBug(what, cause) {
        log.error({ what }, 'a tool failed')
        bug = cause
      },
    },
  })
  if (bug !== undefined) throw bug
  if (isSignInNeeded) {
    // All scopes, not just the one that is needed now: the official clients ask once, and renew what they have when they
    // need more. The person ticks what the program gets.
    const challenge = `Bearer resource_metadata="${origin}${mcpResourceMetadata}", scope="${scopeNames.join(' ')}"`
    refuse(unauthorized, {}, { headers: { 'www-authenticate': challenge } })
  }
  if (status === 202) return { status }
  return { status: status === 200 || status === 404 ? status : 400, body: text }
}

async function contextFor(
  { ownRoutes }: McpServices,
  client: RouteClient,
  token: string | undefined,
): Promise<ToolContext> {
  const Pennypost = await loadClient()
  const isKey = token?.startsWith('svcpk_') === true
  // The token of a program, which a person connected, stands for either credential.
  const isProgram = token?.startsWith(programTokenPrefix) === true
  const hasKey = isKey || isProgram
  const hasSession = token !== undefined && !isKey
  const session = hasSession ? { accessToken: token, refreshToken: '', expiresAt: Number.MAX_SAFE_INTEGER } : undefined
  const pennypost = new Pennypost({
    baseUrl: client.origin,
    publishingKey: hasKey ? token : undefined,
    session,
    fetch: ownRoutes.fetchFor(client),
    // The agent decides whether to try again.
    retry: { attempts: 1 },
  })
  return { pennypost, hasKey, hasSession, waitSeconds }
}

function wrongCredential({ kind }: Callers[Credential], scope: Scope): string {
  if (kind === 'publishing-key')
    return `A publishing key cannot do this. It needs a session, or a sign-in that allows "${scope}".`
  return `This credential cannot do this. It needs ${scope === 'publish' ? 'a publishing key, or ' : ''}a sign-in that allows "${scope}".`
}

import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import {
  auth,
  Client,
  type OAuthClientInformation,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { listConnectedPrograms } from '@pennypost/contract/connected-programs'
import * as oauth from 'oauth4webapi'
import { injectFetch } from '../test/inject-fetch.ts'
import { nextAddress } from '../test/person.ts'
import { createWorld, type World } from '../test/world.ts'
import { createClientDocuments } from './client-documents.ts'
import { Browser, oauthWorld, programSite, redirectUri } from './oauth.fixture.ts'

// Programs that others wrote, unchanged: the official client of MCP, and a stock OAuth library.

// They insist on HTTPS.
const settings = { BASE_URL: 'https://pennypost.test' }

/** What an MCP client remembers. Everything else is the official client's own code. */
class Memory implements OAuthClientProvider {
  readonly redirectUrl = redirectUri
  readonly clientMetadata = { client_name: 'An agent', redirect_uris: [redirectUri] }
  readonly clientMetadataUrl?: string
  opened: URL | undefined
  private information: OAuthClientInformation | undefined
  private saved: OAuthTokens | undefined
  private verifier = ''
  private discovery: OAuthDiscoveryState | undefined

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }
  state() {
    return 'the state of the agent'
  }
  clientInformation() {
    return this.information
  }
  saveClientInformation(information: OAuthClientInformation) {
    this.information = information
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: OAuthTokens) {
    this.saved = tokens
  }
  redirectToAuthorization(url: URL) {
    this.opened = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.discovery = state
  }
  discoveryState() {
    return this.discovery
  }
  invalidateCredentials() {
    this.saved = undefined
  }
}

const serverUrlOf = (world: World) => `${world.origin}/mcp`

async function connects(world: World, memory: Memory) {
  const fetchFn = injectFetch(world.server, nextAddress())
  const options = { serverUrl: serverUrlOf(world), fetchFn }
  equal(await auth(memory, options), 'REDIRECT')
  const reader = await world.reader()
  const back = await new Browser(world, reader).allows(memory.opened!)
  equal(back.searchParams.get('state'), 'the state of the agent')
  const answer = { authorizationCode: back.searchParams.get('code')!, iss: back.searchParams.get('iss')! }
  equal(await auth(memory, { ...options, ...answer }), 'AUTHORIZED')
  return { reader, options, answer, fetchFn }
}

test('the official MCP client registers, signs in, refreshes, and is disconnected', async (t) => {
  const world = await oauthWorld(t, settings)
  const memory = new Memory()
  const { reader, options, fetchFn } = await connects(world, memory)
  const first = memory.tokens()!
  const agent = new Client({ name: 'agent', version: '1' })
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(options.serverUrl), { authProvider: memory, fetch: fetchFn }),
  )
  const who = await agent.callTool({ name: 'whoami', arguments: {} })
  ok(JSON.stringify(who.structuredContent).includes(reader.handle), JSON.stringify(who))
  await agent.close()
  equal(memory.opened!.searchParams.get('resource'), serverUrlOf(world))
  const { body } = await reader.owner.calls(listConnectedPrograms, {})
  deepEqual(
    body.programs.map(({ name, host, scopes, resource }: Record<string, unknown>) => ({
      name,
      host,
      scopes,
      resource,
    })),
    [{ name: 'An agent', host: null, scopes: ['read', 'interact', 'publish', 'earnings'], resource: 'mcp' }],
  )
  equal(await auth(memory, options), 'AUTHORIZED')
  const second = memory.tokens()!
  ok(second.access_token !== first.access_token && second.refresh_token !== first.refresh_token)
  await world.advance(11)
  // The first refresh token in wrong hands: the grant ends, and the client has to ask the person again.
  memory.saveTokens(first)
  equal(await auth(memory, options), 'REDIRECT')
  memory.saveTokens(second)
  equal(await auth(memory, options), 'REDIRECT')
})

test('the official MCP client is known by its document, without a registration', async (t) => {
  const site = await programSite(t, (path, origin) => ({
    body: JSON.stringify({
      client_id: origin + path,
      client_name: 'An agent',
      redirect_uris: ['http://127.0.0.1/callback'],
    }),
  }))
  const clock = (await oauthWorld(t, settings)).services.clock
  const { origin, certificate } = site
  const clientDocuments = createClientDocuments({ clock, allowLoopback: true, certificate })
  const world = await createWorld(t, { settings, services: { clientDocuments } })
  const { reader } = await connects(world, new Memory(`${origin}/client.json`))
  const [program] = (await reader.owner.calls(listConnectedPrograms, {})).body.programs
  deepEqual([program.clientId, program.host], [`${origin}/client.json`, new URL(origin).host])
  deepEqual(site.asked, ['/client.json'])
  await world.runJobs()
})

test('the official MCP client notices an answer from another server', async (t) => {
  const world = await oauthWorld(t, settings)
  const memory = new Memory()
  const { options, answer } = await connects(world, memory)
  await rejects(auth(memory, { ...options, ...answer, iss: 'https://evil.example' }))
})

test('a stock OAuth library discovers, registers, connects, calls the API, refreshes and revokes', async (t) => {
  const world = await oauthWorld(t, settings)
  const options = { [oauth.customFetch]: injectFetch(world.server, nextAddress()) as never }
  const issuer = new URL(world.origin)
  const resource = await oauth.processResourceDiscoveryResponse(
    issuer,
    await oauth.resourceDiscoveryRequest(issuer, options),
  )
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(new URL(resource.authorization_servers![0]!), { ...options, algorithm: 'oauth2' }),
  )
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [redirectUri], client_name: 'A stock program', token_endpoint_auth_method: 'none' },
      options,
    ),
  )
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const link = new URL(server.authorization_endpoint!)
  link.search = String(
    new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'read publish',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: resource.resource,
      state,
    }),
  )
  const reader = await world.reader()
  const back = await new Browser(world, reader).allows(link)
  const parameters = oauth.validateAuthResponse(server, client, back, state)
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirectUri, verifier, options),
  )
  const me = async (token: string) =>
    oauth.protectedResourceRequest(token, 'GET', new URL('/api/v1/me', world.origin), undefined, undefined, options)
  const shown = await me(tokens.access_token)
  equal(shown.status, 200, await shown.clone().text())
  const { credential, authority } = (await shown.json()) as {
    credential: { kind: string; scope: string }
    authority: object
  }
  deepEqual([credential.kind, credential.scope], ['program', 'read publish'])
  deepEqual(authority, { canPublish: true, canReadFinance: false, canManageKeys: false, isAdmin: false })
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, options),
  )
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token!, options),
  )
  for (const { access_token } of [tokens, refreshed])
    await rejects(me(access_token), oauth.WWWAuthenticateChallengeError)
})

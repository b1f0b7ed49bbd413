import * as oauth from 'oauth4webapi'

const redirectUri = 'http://127.0.0.1:8765/callback'
const insecure = { [oauth.allowInsecureRequests]: true }

export async function run({ origin, session, refreshToken }) {
  const issuer = new URL(origin)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const metadata = { client_name: 'A stock client', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure)
  const client = await oauth.processDynamicClientRegistrationResponse(registered)
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const link = new URL(server.authorization_endpoint)
  link.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'read earnings',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const returned = await allow(link, `pennypost=${session}~${refreshToken}`)
  const answer = oauth.validateAuthResponse(server, client, returned, state)
  const exchanged = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirectUri,
    verifier,
    insecure,
  )
  const first = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
  const renewed = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), first.refresh_token, insecure)
  const second = await oauth.processRefreshTokenResponse(server, client, renewed)
  const url = new URL('/api/v1/me', origin)
  const me = () => oauth.protectedResourceRequest(second.access_token, 'GET', url, undefined, null, insecure)
  if ((await me()).status !== 200) throw new Error('the token does not work')
  const revoked = await oauth.revocationRequest(server, client, oauth.None(), second.refresh_token, insecure)
  await oauth.processRevocationResponse(revoked)
  const after = await me().catch((error) => error)
  if (after.status !== 401) throw new Error('the token works after it was revoked')
}

/** Presses Allow, as a person does who is signed in. Returns where the browser is sent. */
async function allow(link, cookie) {
  const page = await (await fetch(link, { headers: { cookie } })).text()
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1]
  if (!request) throw new Error('there is no consent page')
  const body = new URLSearchParams({ request, decision: 'allow' })
  for (const [, scope] of page.matchAll(/name="scope" value="(\w+)"/g)) body.append('scope', scope)
  const reply = await fetch(new URL('/oauth/authorize', link), {
    method: 'POST',
    headers: { cookie },
    body,
    redirect: 'manual',
  })
  return new URL(reply.headers.get('location'))
}

import * as oauth from 'oauth4webapi'
import { notThere } from './not-there.mjs'

export async function run({ origin }) {
  const issuer = new URL(origin)
  const options = { algorithm: 'oauth2', [oauth.allowInsecureRequests]: true }
  const reply = await oauth.discoveryRequest(issuer, options)
  if (reply.status === 404) notThere('this version has no authorization server')
  const server = await oauth.processDiscoveryResponse(issuer, reply)
  if (!server.token_endpoint || !server.authorization_endpoint) throw new Error('endpoints are missing')
  return `${Object.keys(server).length} fields`
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import { programTokenPrefix } from '@pennypost/contract/credential'
import { generationsOf, type Secrets } from '../platform/secrets.ts'

// The tokens of a connected program. Like those of sessions they are derived, so the database has none, and the same row
// gives the same tokens: a client that lost a response can send its request again.

/** The resource that a token is for: the HTTP API, or the MCP server. */
export type Resource = 'api' | 'mcp'
const resources: readonly Resource[] = ['api', 'mcp']

export interface AccessClaims {
  readonly grantId: string
  readonly generation: number
  readonly resource: Resource
  readonly issuedAt: Date
}

export type RefreshClaims = Pick<AccessClaims, 'grantId' | 'generation'>

export const accessSeconds = 3600
const refreshPrefix = 'svcor_'
const macBytes = 24
const idBytes = 16
const refreshBytes = idBytes + 4
const accessBytes = refreshBytes + 5

export function writeAccessToken(secrets: Secrets, { grantId, generation, resource, issuedAt }: AccessClaims): string {
  const content = Buffer.alloc(accessBytes)
  content.write(grantId.replaceAll('-', ''), 'hex')
  content.writeUInt32BE(generation, idBytes)
  content.writeUInt32BE(Math.floor(issuedAt.getTime() / 1000), refreshBytes)
  content.writeUInt8(resources.indexOf(resource), accessBytes - 1)
  return sign(secrets, programTokenPrefix, content)
}

/** Reads an access token. The caller has to check in the database whether its grant is still valid. */
export function readAccessToken(secrets: Secrets, token: string): AccessClaims | undefined {
  const content = verify(secrets, programTokenPrefix, accessBytes, token)
  const resource = content && resources[content.readUInt8(accessBytes - 1)]
  return resource && { ...claimsOf(content), resource, issuedAt: new Date(content.readUInt32BE(refreshBytes) * 1000) }
}

export function writeRefreshToken(secrets: Secrets, { grantId, generation }: RefreshClaims): string {
  const content = Buffer.alloc(refreshBytes)
  content.write(grantId.replaceAll('-', ''), 'hex')
  content.writeUInt32BE(generation, idBytes)
  return sign(secrets, refreshPrefix, content)
}

export function readRefreshToken(secrets: Secrets, token: string): RefreshClaims | undefined {
  const content = verify(secrets, refreshPrefix, refreshBytes, token)
  return content && claimsOf(content)
}

function claimsOf(content: Buffer): RefreshClaims {
  const hex = content.toString('hex', 0, idBytes)
  const grantId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return { grantId, generation: content.readUInt32BE(idBytes) }
}

const sign = (secrets: Secrets, prefix: string, content: Buffer): string =>
  prefix + Buffer.concat([content, macOf(secrets, prefix, content)]).toString('base64url')

function verify(secrets: Secrets, prefix: string, length: number, token: string): Buffer | undefined {
  if (!token.startsWith(prefix)) return undefined
  const content = Buffer.from(token.slice(prefix.length), 'base64url').subarray(0, length)
  if (content.length !== length) return undefined
  const given = Buffer.from(token)
  const isOurs = generationsOf(secrets).some((each) => {
    const expected = Buffer.from(sign(each, prefix, content))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isOurs ? content : undefined
}

const macOf = (secrets: Secrets, prefix: string, content: Buffer): Buffer =>
  createHmac('sha256', secrets.key(`oauth-token ${prefix}`))
    .update(content)
    .digest()
    .subarray(0, macBytes)

import { type Callers, type Credential, programTokenPrefix } from '@pennypost/contract/credential'
import { unauthorized } from '@pennypost/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Authenticators, WantedCaller } from './handler.ts'
import type { Origins } from './origins.ts'
import { refuse } from './refuse.ts'

interface AuthenticationParts {
  readonly authenticators: Authenticators
  readonly origins: Origins
}

export const anonymous = Object.freeze({ kind: 'none' }) satisfies Callers['none']

/**
 * Finds the caller of a request by its bearer token or its cookies. An operation may accept several kinds of credentials: they
 * are tried in the order in which it lists them.
 */
export async function authenticate(
  request: FastifyRequest,
  wanted: Omit<WantedCaller, 'origin'>,
  { authenticators, origins }: AuthenticationParts,
): Promise<Callers[Credential]> {
  const { kinds } = wanted
  const header = request.headers.authorization
  // An invalid `Authorization` header is an error. It never falls back to a cookie or to anonymous access.
  if (header === undefined) {
    const caller = await readCookies(request, kinds, authenticators, origins)
    return caller ?? (kinds.includes('none') ? anonymous : refuse(unauthorized))
  }
  const token = /^bearer ([\x21-\x7e]+)$/i.exec(header)?.[1]
  if (token === undefined || isRepeated(request, 'authorization')) return refuse(unauthorized)
  if (token.startsWith(programTokenPrefix) && authenticators.programs)
    return authenticators.programs(token, { ...wanted, origin: origins.of(request.headers.host) })
  for (const kind of kinds) {
    const caller = kind === 'none' ? undefined : await authenticators[kind](token)
    if (caller) return caller
  }
  return refuse(unauthorized)
}

/** Other sites can make a browser send our cookie but cannot forge `Origin`, so everything but a read must have it (CSRF). */
async function readCookies(
  request: FastifyRequest,
  kinds: readonly Credential[],
  { cookies }: Authenticators,
  origins: Origins,
): Promise<Callers[Credential] | undefined> {
  const { cookie, origin } = request.headers
  if (cookie === undefined || cookies === undefined) return undefined
  if (request.method !== 'GET' && !origins.isTrusted(origin)) return undefined
  // Cookies only stand for these two. Credentials for a single purpose must be sent explicitly.
  const kind = kinds.find((accepted) => accepted === 'owner-session' || accepted === 'publishing-key')
  return kind && cookies(cookie, kind)
}

// Node silently keeps the first of two headers. A request with two credentials is ambiguous and is refused.
function isRepeated(request: FastifyRequest, name: string): boolean {
  const { rawHeaders } = request.raw
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]!.toLowerCase() === name) seen += 1
  return seen > 1
}

import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { unknownProgram } from '@pennypost/contract/oauth'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import { refuse } from '../platform/http/refuse.ts'
import { ForbiddenAddress } from '../platform/outgoing/public-address.ts'
import { getFromPublicHost, type PublicReply, ReplyTooLarge } from '../platform/outgoing/public-request.ts'
import type { Client } from './client.ts'
import { programName } from './program-name.ts'
import { redirectKind } from './redirect-uri.ts'

/** Reads the documents with which programs describe themselves: their `client_id` is the document's URL. */
export interface ClientDocuments {
  /** Refuses with `unknown-program`, and a reason if there is no valid document. */
  read(url: string): Promise<Client>
}

export interface ClientDocumentSettings {
  readonly clock: Clock
  /** For development: allows servers on this machine, on any port. */
  readonly allowLoopback: boolean
  /** An additional certificate authority to trust. */
  readonly certificate?: string
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 4_000
const maxBytes = 16 * 1024
const maxCached = 500
const atOnce = 8
const maxWaiting = 100
const minCachedSeconds = 60
const defaultCachedSeconds = 600
const maxCachedSeconds = 86_400
const maxRedirectUris = 50

const Document = z.looseObject({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(maxRedirectUris),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
})

/** A client, or the reason why there is none. A failure is cached too: strangers cause these requests. */
interface CachedClient {
  readonly found: Client | string
  readonly until: number
}

export function createClientDocuments(settings: ClientDocumentSettings): ClientDocuments {
  const { clock } = settings
  const cache = new LRUCache<string, CachedClient>({ max: maxCached })
  const running = new Map<string, Promise<CachedClient>>()
  const queue = pLimit(atOnce)

  const fetchOnce = (url: string): Promise<CachedClient> => {
    const started = running.get(url)
    if (started) return started
    if (queue.pendingCount >= maxWaiting) refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 5 })
    const fetching = queue(() => fetchDocument(url, settings)).then((known) => {
      cache.set(url, known)
      return known
    })
    running.set(url, fetching)
    const done = () => void running.delete(url)
    fetching.then(done, done)
    return fetching
  }

  return {
    async read(url) {
      const reason = urlProblem(url, settings)
      if (reason !== undefined) return refuse(unknownProgram, {}, { detail: reason })
      const cached = cache.get(url)
      const { found } = cached && cached.until > clock.now().getTime() ? cached : await fetchOnce(url)
      return typeof found === 'string' ? refuse(unknownProgram, {}, { detail: found }) : found
    },
  }
}

/** Why a URL cannot be a `client_id`. Undefined if it can. */
function urlProblem(text: string, { allowLoopback }: ClientDocumentSettings): string | undefined {
  const invalid = 'The client_id of this program is not a valid URL.'
  if (!/^https:\/\/[\x21-\x7e]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return invalid
  const { href, pathname, username, password, port } = new URL(text)
  // A URL that the parser changes (`/a/../b`, `HOST`, `:443`) has several spellings. The document can name only one.
  if (href !== text || pathname === '/' || username !== '' || password !== '') return invalid
  return port === '' || allowLoopback ? undefined : invalid
}

async function fetchDocument(url: string, settings: ClientDocumentSettings): Promise<CachedClient> {
  const { clock, allowLoopback, certificate, timeoutMs = defaultTimeoutMs } = settings
  const until = (seconds: number) => clock.now().getTime() + seconds * 1000
  try {
    const reply = await getFromPublicHost(url, {
      target: 'oauth-client',
      headers: { accept: 'application/json', 'user-agent': 'Pennypost-OAuth' },
      maxBytes,
      timeoutMs,
      allowLoopback,
      certificate,
    })
    const found = readDocument(url, reply)
    return { found, until: until(typeof found === 'string' ? minCachedSeconds : cachedSeconds(reply)) }
  } catch (error) {
    return { found: reasonOf(error as Error, new URL(url).host), until: until(minCachedSeconds) }
  }
}

function readDocument(url: string, { status, body }: PublicReply): Client | string {
  const { host } = new URL(url)
  if (status !== 200) return `${host} has no description of this program.`
  const document = Document.safeParse(parseJson(body))
  if (!document.success) return `The description of this program at ${host} is not valid.`
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method, grant_types, response_types } =
    document.data
  if (client_id !== url) return `The description of this program at ${host} is that of another program.`
  const isSupported =
    (token_endpoint_auth_method ?? 'none') === 'none' &&
    (grant_types ?? ['authorization_code']).includes('authorization_code') &&
    (response_types ?? ['code']).includes('code')
  if (!isSupported) return 'This program wants to connect in a way that we do not support.'
  const redirectUris = redirect_uris.filter((uri) => redirectKind(uri) !== undefined)
  return { id: url, name: programName(client_name), host, redirectUris }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function cachedSeconds({ headers }: PublicReply): number {
  const given = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(headers['cache-control'] ?? '')?.[1]
  const seconds = given === undefined ? defaultCachedSeconds : Number(given)
  return Math.min(Math.max(seconds, minCachedSeconds), maxCachedSeconds)
}

function reasonOf(error: Error, host: string): string {
  if (error instanceof ForbiddenAddress) return `${host} is not on the public internet.`
  if (error instanceof ReplyTooLarge) return `The description of this program at ${host} is too long.`
  return `${host} could not be reached. Try again in a minute.`
}

import { equal, ok } from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { localCertificate } from '../platform/outgoing/certificate.fixture.ts'
import { injectFetch } from '../test/inject-fetch.ts'
import type { Reader } from '../test/people.ts'
import { type Host, nextAddress } from '../test/person.ts'
import type { Scope as TestScope } from '../test/shared.ts'
import { sharedWorld, type World } from '../test/world.ts'

/** A shared world whose emails about connected programs are sent after the test, so that they are not left over. */
export async function oauthWorld(t: TestScope, settings?: Parameters<typeof sharedWorld>[1]): Promise<World> {
  let world: World | undefined
  t.after(() => world?.runJobs())
  world = await sharedWorld(t, settings)
  return world
}

/** A browser, signed in or not. It sends what browsers send, and follows no redirects. */
export class Browser {
  readonly host: Host
  readonly address = nextAddress()
  cookie: string | undefined

  constructor(host: Host, reader?: Reader) {
    this.host = host
    const name = host.origin.startsWith('https:') ? '__Host-pennypost' : 'pennypost'
    this.cookie = reader && `${name}=${reader.pair.accessToken}~${reader.pair.refreshToken}`
  }

  async opens(url: string | URL, headers: Record<string, string> = {}) {
    return this.sends({ method: 'GET', url: String(url), headers })
  }

  /** Presses a button of the consent page. All boxes are ticked, unless `scopes` are the fields of some. */
  async decides(page: Shown, decision: string, headers: Record<string, string> = {}, scopes?: [string, string][]) {
    const request = requestIn(page)
    const boxes = [...page.text.matchAll(/name="scope" value="(\w+)"/g)].map(([, scope]): [string, string] => [
      'scope',
      scope!,
    ])
    return this.sends({
      method: 'POST',
      url: '/oauth/authorize',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'null',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      payload: String(new URLSearchParams([['request', request], ['decision', decision], ...(scopes ?? boxes)])),
    })
  }

  /** Opens a program's link and allows what it asks for. Returns where the browser is sent. */
  async allows(url: string | URL): Promise<URL> {
    const page = await this.opens(url)
    equal(page.status, 200, page.text)
    const { status, location } = await this.decides(page, 'allow')
    equal(status, 303)
    return new URL(location!)
  }

  private async sends(options: {
    method: 'GET' | 'POST'
    url: string
    headers: Record<string, string>
    payload?: string
  }) {
    const { pathname, search } = new URL(options.url, this.host.origin)
    const reply = await this.host.server.inject({
      ...options,
      url: pathname + search,
      remoteAddress: this.address,
      headers: {
        host: new URL(this.host.origin).host,
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...options.headers,
      },
    })
    const { location } = reply.headers
    return { status: reply.statusCode, text: reply.payload, headers: reply.headers, location }
  }
}

type Shown = { readonly text: string }

export function requestIn({ text }: Shown): string {
  const found = /name="request" value="([^"]+)"/.exec(text)?.[1]
  ok(found, `there is no form: ${text.slice(0, 500)}`)
  return found
}

export const redirectUri = 'http://127.0.0.1:8765/callback'

export const newVerifier = (): string => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** A program that speaks OAuth by hand, so that it can also do it wrong. */
export class Program {
  readonly host: Host
  readonly fetch: typeof fetch
  readonly verifier = newVerifier()
  clientId = ''

  constructor(host: Host) {
    this.host = host
    this.fetch = injectFetch(host.server, nextAddress())
  }

  static async registered(host: Host, metadata: object = {}): Promise<Program> {
    const program = new Program(host)
    const { status, body } = await program.registers(metadata)
    equal(status, 201, JSON.stringify(body))
    program.clientId = body.client_id
    return program
  }

  registers(metadata: object) {
    return this.posts(
      '/oauth/register',
      JSON.stringify({ redirect_uris: [redirectUri], ...metadata }),
      'application/json',
    )
  }

  /** The link that starts it. Undefined leaves a parameter out. */
  link(changes: Record<string, string | undefined> = {}): string {
    const all = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      code_challenge: challengeOf(this.verifier),
      code_challenge_method: 'S256',
      scope: 'read',
      state: 'a state',
      ...changes,
    }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${this.host.origin}/oauth/authorize?${new URLSearchParams(given)}`
  }

  /** A code that this person has just allowed. */
  async code(reader: Reader, changes: Record<string, string | undefined> = {}): Promise<string> {
    return (await new Browser(this.host, reader).allows(this.link(changes))).searchParams.get('code')!
  }

  exchanges(code: string, changes: Record<string, string | undefined> = {}) {
    return this.asks({
      grant_type: 'authorization_code',
      code,
      code_verifier: this.verifier,
      redirect_uri: redirectUri,
      ...changes,
    })
  }

  refreshes(refreshToken: string, changes: Record<string, string | undefined> = {}) {
    return this.asks({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes })
  }

  /** Tokens that this person has just allowed. */
  async connects(reader: Reader, changes: Record<string, string | undefined> = {}): Promise<Tokens> {
    const { status, body } = await this.exchanges(await this.code(reader, changes))
    equal(status, 200, JSON.stringify(body))
    return body
  }

  revokes(fields: Record<string, string>) {
    return this.posts('/oauth/revoke', String(new URLSearchParams(fields)))
  }

  asks(fields: Record<string, string | undefined>) {
    const all = { client_id: this.clientId, ...fields }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return this.posts('/oauth/token', String(new URLSearchParams(given)))
  }

  async posts(path: string, body: string, type = 'application/x-www-form-urlencoded') {
    const reply = await this.fetch(this.host.origin + path, { method: 'POST', headers: { 'content-type': type }, body })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** A request to the API with a token. */
  async calls(path: string, token: string, init: RequestInit = {}) {
    const headers = { authorization: `Bearer ${token}`, ...init.headers }
    const reply = await this.fetch(this.host.origin + path, { ...init, headers })
    return { status: reply.status, headers: reply.headers, body: JSON.parse((await reply.text()) || 'null') }
  }
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
  readonly token_type: string
}

export type Served = { status?: number; headers?: Record<string, string>; body: string | Buffer }

/** A web server with descriptions of programs. */
export async function programSite(t: TestScope, serve: (path: string, origin: string) => Served | undefined) {
  const { key, certificate } = localCertificate()
  const asked: string[] = []
  let origin = ''
  const server = createServer({ key, cert: certificate }, ({ url = '' }, response) => {
    asked.push(url)
    const { status = 200, headers = {}, body } = serve(url, origin) ?? { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  origin = `https://localhost:${(server.address() as AddressInfo).port}`
  return { origin, certificate, asked }
}

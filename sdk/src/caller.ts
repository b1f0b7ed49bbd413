import { readEvents } from '@pennypost/contract/read-events'
import { errorOf, PennypostError } from './errors.ts'
import { operationTable } from './generated/operation-table.ts'
import type { Operations } from './generated/operations.ts'
import { type AnyInput, prepareRequest } from './http/prepare-request.ts'
import { readBody } from './http/read-body.ts'
import { type ReadReply, type Received, type SendOptions, sendWithRetries } from './http/send.ts'
import type { CallOptions, Credential, Download, OperationRow, Reply, ServerEvent } from './operation.ts'
import type { SessionKeeper } from './session.ts'

export interface CallerParts {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly publishingKey: string | undefined
  readonly session: SessionKeeper
  readonly retry: SendOptions['retry']
  readonly timeoutMs: number
}

/** Calls operations by their names: chooses the credential, refreshes the session, and turns refusals into errors. */
export class Caller {
  readonly #parts: CallerParts

  constructor(parts: CallerParts) {
    this.#parts = parts
  }

  async call(name: string, input: AnyInput = {}, options: CallOptions = {}): Promise<Reply<number, unknown>> {
    const received = await this.#request(name, input, options, 'application/json', readBody)
    const { status, headers } = received.response
    const { body } = received
    const row = rowOf(name)
    if (!row.replies.includes(status)) throw refusal(name, received)
    if (row.errors !== 'page' && headers.get('content-type')?.startsWith('text/html')) throw webPage(name, status)
    return { status, headers, body }
  }

  async download(name: string, input: AnyInput = {}, options: CallOptions = {}): Promise<Download> {
    const received = await this.#request(name, input, options, '*/*', leaveStream)
    const { status, headers, ok, body } = received.response
    if (!ok || body === null) throw refusal(name, received)
    const length = headers.get('content-length')
    return { status, headers, contentLength: length === null ? undefined : Number(length), body }
  }

  async *events(
    name: string,
    input: AnyInput = {},
    options: CallOptions = {},
  ): AsyncGenerator<ServerEvent<unknown>, void> {
    const received = await this.#request(name, input, options, 'text/event-stream', leaveStream)
    const { ok, body } = received.response
    if (!ok || body === null) throw refusal(name, received)
    for await (const { event, data } of readEvents(body)) yield { event, data: JSON.parse(data) }
  }

  async #request(
    name: string,
    input: AnyInput,
    options: CallOptions,
    accept: string,
    read: ReadReply,
  ): Promise<AuthorizedReply> {
    const { baseUrl, fetch, retry, timeoutMs, session } = this.#parts
    const row = rowOf(name)
    const request = await prepareRequest(row, input, { baseUrl, accept })
    const which = credentialOf(row, options, this.#parts)
    let token: string | undefined
    const authorization = async () => {
      token = await this.#token(which, options)
      return token === undefined ? undefined : `Bearer ${token}`
    }
    const sending = { fetch, retry, timeoutMs, signal: options.signal, operation: name, authorization }
    const received = await sendWithRetries(request, sending, read)
    const isAuthorized = token !== undefined
    if (received.response.status !== 401 || token === undefined || which !== 'session')
      return { ...received, isAuthorized }
    // The clock of this machine may be wrong, or the session was refreshed elsewhere. A refused request did nothing.
    const refreshed = await session.refreshed(token)
    if (refreshed === undefined || refreshed.accessToken === token) return { ...received, isAuthorized }
    return { ...(await sendWithRetries(request, sending, read)), isAuthorized }
  }

  async #token(which: UsedCredential, { token }: CallOptions): Promise<string | undefined> {
    if (which === 'given') return token
    if (which === 'key') return this.#parts.publishingKey
    return which === 'session' ? this.#parts.session.accessToken() : undefined
  }
}

interface AuthorizedReply extends Received {
  /** Whether the client had a credential to send. */
  readonly isAuthorized: boolean
}

/** The error of a reply. It tells a program without a credential which one it needs. */
function refusal(name: string, { response, body, isAuthorized }: AuthorizedReply): PennypostError {
  const error = errorOf(name, response.status, response.headers, body)
  if (error.code !== 'unauthorized' || isAuthorized) return error
  const needed = rowOf(name).credentials.flatMap((credential) => credentialNames[credential] ?? [])
  return new PennypostError({ ...error, detail: `${error.detail} It takes ${needed.join(' or ')}.` })
}

/** A network that wants a sign-in, or a proxy, replies to every request with its own page. */
const webPage = (operation: string, status: number) =>
  new PennypostError({
    operation,
    status,
    code: 'invalid-reply',
    detail:
      'The reply is a web page and not of the API. Check `baseUrl`, and whether this network wants you to sign in.',
  })

const credentialNames: Partial<Record<Credential, string>> = {
  'publishing-key': 'a publishing key (`new Pennypost({ publishingKey })`)',
  'owner-session': 'a session (`new Pennypost({ session })`, or sign in)',
  'poll-secret': 'the poll secret of the challenge (`{ token }`)',
  'checkout-credential': 'the credential of the checkout (`{ token }`)',
}

type UsedCredential = 'given' | 'key' | 'session' | 'none'

function credentialOf(
  { credentials }: OperationRow,
  { token }: CallOptions,
  { publishingKey }: Pick<CallerParts, 'publishingKey'>,
): UsedCredential {
  if (token !== undefined) return credentials.every((credential) => credential === 'none') ? 'none' : 'given'
  const takesKey = credentials.includes('publishing-key')
  if (takesKey && (publishingKey !== undefined || !credentials.includes('owner-session'))) return 'key'
  return credentials.includes('owner-session') ? 'session' : 'none'
}

/** The stream of a successful reply is for the caller. */
const leaveStream: ReadReply = async (response) => (response.ok && response.body ? undefined : readBody(response))

function rowOf(name: string): OperationRow {
  return (operationTable as Readonly<Record<string, OperationRow>>)[name]!
}

/**
 * Every operation as a method, with `events` and `download` where it has them. A method is made when it is first used: making all of
 * them takes a tenth of a millisecond, and a server may need a client for each request.
 */
export function operationsOf(caller: Caller): Operations {
  const made: Record<string | symbol, unknown> = {}
  const make = (name: string | symbol): void => {
    if (typeof name !== 'string' || Object.hasOwn(made, name) || !Object.hasOwn(operationTable, name)) return
    made[name] = Object.assign((input?: AnyInput, options?: CallOptions) => caller.call(name, input, options), {
      events: (input?: AnyInput, options?: CallOptions) => caller.events(name, input, options),
      download: (input?: AnyInput, options?: CallOptions) => caller.download(name, input, options),
    })
  }
  return new Proxy(made, {
    get(_, name) {
      make(name)
      return made[name]
    },
    getOwnPropertyDescriptor(_, name) {
      make(name)
      return Reflect.getOwnPropertyDescriptor(made, name)
    },
    has: (_, name) => name in made || Object.hasOwn(operationTable, name),
    ownKeys: () => [...new Set([...Object.keys(operationTable), ...Reflect.ownKeys(made)])],
  }) as unknown as Operations
}

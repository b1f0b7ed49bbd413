import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClient, send } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { freePort } from './free-port.ts'
import { type Host, Person } from './person.ts'
import { until } from './until.ts'

const main = fileURLToPath(new URL('../../bundle/main.js', import.meta.url))

export interface Running {
  readonly child: ChildProcess
  readonly origin: string
  output(): string
  /** Ends the process and returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts the service in a separate process, as an operator would. Waits until it is ready or has failed to start. */
export async function startProcess(
  t: TestContext,
  settings: Record<string, string>,
  /** Another version of the service. */
  program = main,
): Promise<Running> {
  const port = settings.PORT ?? (await freePort())
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = once(child, 'exit') as Promise<[number | null]>
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await until('the service is running', () => /Pennypost is (ready|running)/.test(output) || hasEnded())
  return {
    child,
    origin: `http://127.0.0.1:${port}`,
    output: () => output,
    async end(signal) {
      child.kill(signal)
      const [code] = await exited
      return code
    },
  }
}

export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost service '))
  // A service may still be writing into it: hooks run in the order they were added.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** Registers through the API. */
export async function register(baseUrl: string) {
  const registrationId = randomUUID()
  const email = `${registrationId}@example.com`
  const stranger = createClient({ ...contract, ...developmentContract }, { baseUrl })
  const body = { email, name: 'Ada', handle: `ada_${registrationId.slice(0, 8)}`, acceptedTerms: true as const }
  await stranger.startRegistration({ idempotencyKey: registrationId, body })
  const code = await until('the code is mailed', async () => {
    const { body } = await stranger.readCapturedMail({ query: { to: email } })
    return (body as { messages: { code: string | null }[] }).messages[0]?.code
  })
  const params = { registrationId }
  const { accessToken } = (await stranger.verifyRegistration({ params, body: { code: code! } })).body
  const owner = createClient(contract, { baseUrl, token: accessToken })
  const { key } = (await owner.issueRegistrationKey({ params, body: {} })).body
  return { accessToken, key }
}

/** Registers through the API and returns a publishing key. */
export const publishingKey = async (baseUrl: string): Promise<string> => (await register(baseUrl)).key

/** A person who calls a service in a separate process. */
export class RemotePerson extends Person {
  private readonly service: { readonly origin: string }

  constructor(service: { readonly origin: string }, token: string) {
    super({} as Host, '127.0.0.1', token)
    this.service = service
  }

  override async sends(endpoint: Endpoint, input: Record<string, unknown>) {
    return send(endpoint, input, { baseUrl: this.service.origin, token: this.token! })
  }
}

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { siteContract } from '../../contract/dist/contract.js'
import { startEmbeddedPostgres } from '../../server/dist/platform/database/embedded-postgres.js'
import { createRandom } from '../random.mjs'
import { Connection } from './connection.mjs'
import { KnownValues } from './known-values.mjs'
import { replyChecks } from './reply-checks.mjs'
import { asCommand, requestGenerator, writeRequest } from './request-generator.mjs'
import { createKeeper, seedService } from './seed-service.mjs'
import { startFuzzedService } from './service.mjs'

const connections = 8
/** New people and posts after this many requests: fuzzed administrators suspend people, and sessions end. */
const requestsPerRound = 5000
/** The part of the requests that meets the rate limits of a new installation. */
const shareWithRealLimits = 0.05
const warmUpShare = 0.1

/**
 * Memory is flat if what the service keeps after a forced garbage collection grew by less than this since the warm-up.
 * Its caches have upper limits but are not full after the warm-up, and the tables of seen clients grow until they are
 * swept; a leak of one kibibyte per request would be 175 MiB in a default run.
 */
const heapToleranceMiB = 64

/** Sends generated requests to a real service and checks every reply. Returns what it counted and what it found. */
export async function fuzzRequests({ count, seeds, log = console.log }) {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-fuzz-'))
  chmodSync(folder, 0o711) // for root: the database runs as another account
  const stops = [async () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })]
  const stopAll = async () => {
    while (stops.length > 0) await stops.pop()()
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit(1)))
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'database'), log: () => {} })
    stops.push(() => postgres.stop())
    const run = new Run({ count, seeds, log })
    const withRealLimits = Math.floor(count * shareWithRealLimits)
    const start = async (limits) => {
      const service = await startFuzzedService(folder, { databaseUrl: postgres.url, limits })
      stops.push(service.stop)
      return service
    }
    const wide = await start('wide')
    await run.use(wide)
    await run.send(Math.floor(count * warmUpShare))
    run.memory.push(await wide.memory())
    for (let part = 0; part < 3; part += 1) {
      await run.send(Math.ceil((count * (1 - warmUpShare) - withRealLimits) / 3))
      run.memory.push(await wide.memory())
    }
    await run.finish()
    await stops.pop()()
    await run.use(await start('real'), { isLimited: true })
    await run.send(withRealLimits)
    await run.finish()
    run.checkMemory()
    return run.result()
  } finally {
    await stopAll()
  }
}

class Run {
  memory = []
  #count
  #seeds
  #log
  #index = 0
  #known = new KnownValues()
  #service
  #isLimited
  #keeper
  #credentials
  #generator
  #checks
  #findings = new Map()
  #families = {}
  #statuses = {}
  #succeeded = new Map()
  #seconds = 0
  #slowest = []
  #underWay = new Map()

  constructor({ count, seeds, log }) {
    this.#count = count
    this.#seeds = seeds.map(createRandom)
    this.#log = log
  }

  async use(service, { isLimited = false } = {}) {
    this.#service = service
    this.#isLimited = isLimited
    const document = await (await fetch(`${service.origin}/openapi.json`)).json()
    this.#checks = replyChecks(document)
    // With real limits there are no new people: a few registrations an hour are all that one address gets.
    if (!isLimited) {
      this.#keeper = await createKeeper(service.origin)
      await this.#renew()
    }
    this.#generator = requestGenerator(document, {
      known: this.#known,
      credentials: () => this.#credentials,
      pages: Object.values(siteContract)
        .filter(({ method }) => method === 'GET')
        .map(({ path }) => path),
      port: service.port,
    })
    for (const { operationId } of this.#generator.operations)
      if (!this.#succeeded.has(operationId)) this.#succeeded.set(operationId, 0)
  }

  /** New people and posts, and what fuzzed administrators did to the whole site is undone. */
  async #renew() {
    await this.#keeper.tidyUp()
    this.#known.forgetKept()
    const { credentials } = await seedService(this.#service.origin, this.#known)
    this.#credentials = credentials
  }

  async send(count) {
    let left = count
    while (left > 0) {
      const size = Math.min(left, requestsPerRound - (this.#index % requestsPerRound))
      const startedAt = performance.now()
      await this.#sendRound(size)
      this.#seconds += (performance.now() - startedAt) / 1000
      left -= size
      if (this.#index % requestsPerRound === 0) {
        this.#log(
          `${this.#index} requests, ${Math.round(this.#index / this.#seconds)} per second, ${this.#findings.size} findings`,
        )
        if (!this.#isLimited) await this.#renew()
      }
    }
  }

  async #sendRound(size) {
    const last = this.#index + size
    const work = async () => {
      const connection = new Connection(this.#service.port)
      while (this.#index < last) await this.#sendOne(connection, this.#index++)
      connection.close()
    }
    await Promise.all(Array.from({ length: connections }, work))
  }

  async #sendOne(connection, index) {
    const random = this.#seedOf(index).fork(index)
    const request = this.#generator.next(random)
    this.#families[request.family] = (this.#families[request.family] ?? 0) + 1
    const bytes = writeRequest(request, this.#service.port)
    this.#underWay.set(index, request)
    const startedAt = performance.now()
    const reply = await connection.send(bytes, { isHead: request.method === 'HEAD', isHalf: request.isHalf === true })
    this.#time(request, performance.now() - startedAt)
    const { previous } = connection
    connection.previous = request
    if (reply.isHung) {
      // The request before it may be to blame: it can leave the connection blocked.
      if (previous) this.#log(`before the next finding: ${asCommand(previous, this.#service.port)}`)
      return this.#note(request, index, 'no reply within 30 seconds')
    }
    if (reply.isClosed && this.#service.hasEnded()) return this.#noteDeath()
    this.#underWay.delete(index)
    if (reply.isClosed) {
      if (!request.isHalf && !request.mayCloseConnection) this.#note(request, index, 'closed without a reply')
      return undefined
    }
    const { status, body } = reply
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    for (const problem of this.#checks.problemsOf(request, reply)) this.#note(request, index, problem, reply)
    const name = request.operation?.operationId
    if (name && (status < 300 || status === 402)) {
      if (status < 300) this.#succeeded.set(name, this.#succeeded.get(name) + 1)
      if (reply.headers.get('content-type')?.includes('json') && body.length < 200_000)
        this.#collect(name, body, random)
    }
    return undefined
  }

  #seedOf(index) {
    return this.#seeds[Math.floor((index * this.#seeds.length) / this.#count)] ?? this.#seeds.at(-1)
  }

  /** One of the requests that were under way has ended the process. */
  #noteDeath() {
    const requests = [...this.#underWay].map(
      ([index, request]) => `request ${index}: ${asCommand(request, this.#service.port)}`,
    )
    throw new Error(`The service has ended. One of these requests did it:\n${requests.join('\n')}`)
  }

  /** Keeps the ten slowest requests. */
  #time({ operation, family }, milliseconds) {
    if (milliseconds < (this.#slowest[9]?.milliseconds ?? 0)) return
    this.#slowest.push({ milliseconds: Math.round(milliseconds), request: operation?.operationId ?? family })
    this.#slowest.sort((a, b) => b.milliseconds - a.milliseconds)
    this.#slowest.length = Math.min(10, this.#slowest.length)
  }

  #collect(name, body, random) {
    try {
      this.#known.collect(name, JSON.parse(body.toString()), random)
    } catch {
      // The checks have already noted that it is not JSON.
    }
  }

  #note(request, index, problem, reply) {
    const operation = request.operation?.operationId ?? request.family
    const title = `${operation}: ${problem}`
    const known = this.#findings.get(title)
    if (known) {
      known.times += 1
      return
    }
    const requestId = reply?.headers.get('x-request-id')
    const cause = requestId && this.#service.errors().find((line) => line.includes(requestId))
    const found = {
      title,
      times: 1,
      index,
      command: asCommand(request, this.#service.port),
      reply: reply?.body.toString().slice(0, 600),
      cause,
    }
    this.#findings.set(title, found)
    this.#log(
      `FOUND ${title} (${request.family}, request ${index})\n  ${found.command}\n  ${found.reply ?? ''}\n  ${cause?.slice(0, 1500) ?? ''}`,
    )
  }

  /** What must hold after all requests: no bug was logged, no job died, the service is still ready. */
  async finish() {
    const add = (title, detail) => {
      if (this.#findings.has(title)) return
      this.#findings.set(title, { title, times: 1, detail })
      this.#log(`FOUND ${title}\n  ${detail}`)
    }
    for (const line of this.#service.errors()) {
      const { msg, operation, cause, job } = JSON.parse(line)
      add(`log: ${msg} ${operation ?? job ?? ''}`, String(cause ?? line).slice(0, 1500))
    }
    const ready = await fetch(`${this.#service.origin}/readyz`)
    if (ready.status !== 200) add('the service is not ready', await ready.text())
    const metrics = await (await fetch(`${this.#service.origin}/metrics`)).text()
    const failed = [...metrics.matchAll(/^pennypost_http_request_seconds_count\{[^}]*status="5\d\d"[^}]*\} (\d+)/gm)]
    for (const [line] of failed) add('metrics: a reply with a status above 499', line)
    const dead = /^pennypost_jobs_dead(?:\{[^}]*\})? ([1-9]\d*)/m.exec(metrics)
    if (dead) add('metrics: dead jobs', `${dead[0]} ${JSON.stringify(await this.#keeper.deadJobs()).slice(0, 2000)}`)
  }

  checkMemory() {
    const [first] = this.memory
    const last = this.memory.at(-1)
    const title = `memory grew from ${first.heap} to ${last.heap} MiB`
    if (last.heap - first.heap > heapToleranceMiB)
      this.#findings.set(title, { title, times: 1, detail: JSON.stringify(this.memory) })
  }

  result() {
    const never = [...this.#succeeded].filter(([, times]) => times === 0).map(([name]) => name)
    return {
      requests: this.#index,
      perSecond: Math.round(this.#index / this.#seconds),
      operations: this.#succeeded.size,
      families: this.#families,
      statuses: this.#statuses,
      memory: this.memory,
      slowest: this.#slowest.map(({ milliseconds, request }) => `${milliseconds} ms ${request}`),
      neverSucceeded: never,
      findings: [...this.#findings.values()],
    }
  }
}

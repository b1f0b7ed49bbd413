// The real service in its own process with its own database, and a real browser in front of it.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { chromium } from 'playwright-core'
import { freePort } from '../../server/dist/test/free-port.js'

const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const main = new URL('../../server/dist/main.js', import.meta.url).pathname
const startTimeoutMs = 180_000
const stopTimeoutMs = 20_000
const pageTimeoutMs = 30_000

/**
 * One world for all tests of a file, closed after the last. `fill` puts people and posts into it; what it returns is
 * `world.fixture`.
 */
export function useWorld(fill = async () => undefined) {
  const world = {}
  before(
    async () => {
      Object.assign(world, await startWorld())
      world.fixture = await fill(world)
    },
    { timeout: startTimeoutMs },
  )
  after(() => world.close?.(), { timeout: 2 * stopTimeoutMs })
  return world
}

export async function startWorld() {
  const service = await startService()
  try {
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
    return {
      origin: service.origin,
      /** What the service has printed. */
      output: service.output,
      browser,
      async close() {
        await browser.close()
        await service.stop()
      },
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

/** `settings` are environment variables of the service. */
export async function startService(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-browser-'))
  chmodSync(folder, 0o711) // for root: the database runs as another account
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const exited = new Promise((resolve) => child.once('exit', () => resolve('exited')))
  const stop = async () => {
    child.kill('SIGTERM')
    const forced = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    await exited
    clearTimeout(forced)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ready = until(async () => (await fetch(`${origin}/readyz`)).ok, startTimeoutMs / 2)
    if ((await Promise.race([ready, exited])) !== 'exited') return { origin, stop, output: () => output }
    ready.catch(() => {})
  } catch (error) {
    await stop()
    throw error
  }
  await stop()
  throw new Error('the service exited while it was starting')
}

/** Calls `read` until it returns something truthy, and returns that. Errors count as not yet. */
export async function until(read, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs
  let problem
  while (Date.now() < deadline) {
    try {
      const value = await read()
      if (value) return value
    } catch (error) {
      problem = error
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error(`not true after ${timeoutMs} ms: ${read}`, { cause: problem })
}

/**
 * A page in its own browser context. `complaints` collects what must not happen on any page: errors and warnings,
 * violations of the content security policy, requests to other origins.
 */
export async function openPage(world, options = {}) {
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(world.origin) && !/^(data|blob|about):/.test(request.url()))
      complaints.push(`${page.url()} requested ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    )
  })
  page.setDefaultTimeout(pageTimeoutMs)
  return { page, complaints, context }
}

/** The code in the newest email to an address whose subject matches. */
export async function codeFor(world, address, subject = /./) {
  return until(async () => {
    const reply = await fetch(`${world.origin}/dev/mail?to=${encodeURIComponent(address)}`)
    const { messages } = await reply.json()
    return messages.find((email) => email.code !== null && subject.test(email.subject))?.code
  })
}

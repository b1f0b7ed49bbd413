// The real service in a process of its own, with a database of its own, and a real browser in front of it.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const main = new URL('../../server/dist/main.js', import.meta.url).pathname

export async function startWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-browser-'))
  chmodSync(folder, 0o711) // for root, whose database runs as another account
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const service = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  await until(async () => (await fetch(`${origin}/readyz`)).ok)
  return {
    origin,
    browser,
    async close() {
      await browser.close()
      const ended = new Promise((resolve) => service.once('exit', resolve))
      service.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Asks until the answer is yes. */
export async function until(ask) {
  for (let turn = 0; turn < 240; turn += 1) {
    const answer = await ask().catch(() => undefined)
    if (answer) return answer
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('it never came true')
}

/** A page that remembers everything it should not have said: errors, policies broken, requests to others. */
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
      complaints.push(`${page.url()} asked ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    )
  })
  page.setDefaultTimeout(15_000)
  return { page, complaints, context }
}

/** The newest code that was mailed to somebody, in a letter with such a subject. */
export async function codeFor(world, email, subject = /./) {
  return until(async () => {
    const reply = await fetch(`${world.origin}/dev/mail?to=${encodeURIComponent(email)}`)
    const { messages } = await reply.json()
    return messages.find((letter) => letter.code !== null && subject.test(letter.subject))?.code
  })
}

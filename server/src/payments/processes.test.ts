import { equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { contract, developmentContract } from '@pennypost/contract/contract'
import { createClient } from '@pennypost/sdk/client'
import { emptyTestDatabase } from '../test/test-database.ts'
import { price } from './market.fixture.ts'

// A service as an operator splits it: one process answers, two others move the money.

const main = fileURLToPath(new URL('../main.js', import.meta.url))

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return port
}

async function start(t: TestContext, settings: Record<string, string>): Promise<string> {
  const port = String(await freePort())
  const env = { PATH: process.env.PATH, PORT: port, LOG_LEVEL: 'silent', ...settings }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  while (!output.includes('Pennypost is ready') && child.exitCode === null) await wait(20)
  return `http://127.0.0.1:${port}`
}

test('a Post is quoted by one process, paid out by others, and its buyer hears of it from the first', {
  timeout: 180_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-split-'))
  const database = await emptyTestDatabase()
  t.after(async () => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder }
  const origin = await start(t, { ...settings, ROLE: 'web' })
  await Promise.all([1, 2].map(() => start(t, { ...settings, ROLE: 'worker' })))

  let token: string | undefined
  const client = createClient({ ...contract, ...developmentContract }, { baseUrl: origin, token: () => token })
  const registers = async () => {
    const registrationId = randomUUID()
    const email = `${registrationId}@example.com`
    const handle = `p_${registrationId.slice(0, 8)}`
    await client.startRegistration({
      idempotencyKey: registrationId,
      body: { email, name: 'Person', handle, acceptedTerms: true },
    })
    for (;;) {
      const captured = await client.readCapturedMail({ query: { to: email } })
      const { messages } = captured.body as { messages: { code: string | null }[] }
      const code = messages[0]?.code
      if (!code) {
        await wait(50)
        continue
      }
      const { accessToken } = (await client.verifyRegistration({ params: { registrationId }, body: { code } })).body
      return { registrationId, accessToken }
    }
  }
  const creator = await registers()
  token = creator.accessToken
  const { faucet } = (await client.readNanoLedger()).body
  await client.savePayoutAddress({ body: { payoutAddress: faucet.address } })
  const issued = await client.issueRegistrationKey({ params: { registrationId: creator.registrationId }, body: {} })
  token = issued.body.key
  const post = {
    title: 'On engines',
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'Paid',
    enablePaywall: true,
    priceCurrency: 'XNO' as const,
    priceAtomic: String(price),
    category: 'technology',
    language: 'en',
    creationMethod: 'human' as const,
    creationAttested: true,
  }
  const { id: postId } = (await client.createPost({ body: post })).body
  await client.publishPost({ params: { postId } })

  token = (await registers()).accessToken
  const { purchase, ephemeral_address } = (await client.createPurchase({ body: { postId }, idempotencyKey: 'one' }))
    .body
  const stream = await fetch(`${origin}/api/v1/purchases/${purchase.id}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  })
  await client.sendFromNanoFaucet({ body: { to: ephemeral_address.ephemeral_address, amountRaw: String(price) } })
  const heard = await stream.text()
  ok(heard.includes('"status":"pending"'))
  ok(heard.includes('"status":"paid"'))
  equal((await client.getPurchase({ params: { purchaseId: purchase.id } })).body.status, 'paid')
})

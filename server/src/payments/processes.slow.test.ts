import { equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import { folderFor, startProcess } from '../test/service-process.ts'
import { emptyTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'
import { price } from './market.fixture.ts'

// The service as an operator splits it: one process for requests, two workers for the money.

test('a post is quoted by one process, paid out by others, and the first tells its buyer', {
  timeout: 180_000,
}, async (t) => {
  const database = await emptyTestDatabase()
  const settings = { DATABASE_URL: database.url, DATA_DIR: await folderFor(t) }
  const { origin } = await startProcess(t, { ...settings, ROLE: 'web' })
  await Promise.all([1, 2].map(() => startProcess(t, { ...settings, ROLE: 'worker' })))
  t.after(() => database.drop())

  let token: string | undefined
  const client = createClient({ ...contract, ...developmentContract }, { baseUrl: origin, token: () => token })
  const register = async () => {
    const registrationId = randomUUID()
    const email = `${registrationId}@example.com`
    const handle = `p_${registrationId.slice(0, 8)}`
    await client.startRegistration({
      idempotencyKey: registrationId,
      body: { email, name: 'Person', handle, acceptedTerms: true },
    })
    const code = await until('the code is mailed', async () => {
      const { body } = await client.readCapturedMail({ query: { to: email } })
      return (body as { messages: { code: string | null }[] }).messages[0]?.code
    })
    const { accessToken } = (await client.verifyRegistration({ params: { registrationId }, body: { code: code! } }))
      .body
    return { registrationId, accessToken }
  }
  const creator = await register()
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

  token = (await register()).accessToken
  const { purchase, ephemeral_address } = (await client.createPurchase({ body: { postId }, idempotencyKey: 'one' }))
    .body
  const stream = await fetch(`${origin}/api/v1/purchases/${purchase.id}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  })
  await client.sendFromNanoFaucet({ body: { to: ephemeral_address.ephemeral_address, amountRaw: String(price) } })
  const events = await stream.text()
  ok(events.includes('"status":"pending"'))
  ok(events.includes('"status":"paid"'))
  equal((await client.getPurchase({ params: { purchaseId: purchase.id } })).body.status, 'paid')
})

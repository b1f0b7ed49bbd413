import { equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import { freePort } from '../test/free-port.ts'
import { folderFor, register, startProcess } from '../test/service-process.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'
import { nanoAddress, wholePost } from './posts.fixture.ts'

async function settingsIn(t: TestContext) {
  const database = await cloneTestDatabase()
  t.after(() => database.drop())
  return { DATA_DIR: await folderFor(t), DATABASE_URL: database.url, PORT: String(await freePort()) }
}

// Before the commit nothing has happened, after it the job does not know yet that it is done.
for (const point of ['schedule-uncommitted', 'schedule-committed']) {
  test(`a scheduled post is published once though the process is killed at its time: ${point}`, async (t) => {
    const settings = await settingsIn(t)
    const doomed = await startProcess(t, { ...settings, FAULT_POINT: point })
    const baseUrl = doomed.origin
    const [author, reader] = [await register(baseUrl), await register(baseUrl)]
    const owner = createClient(contract, { baseUrl, token: author.accessToken })
    const publisher = createClient(contract, { baseUrl, token: author.key })
    const follower = createClient(contract, { baseUrl, token: reader.accessToken })
    const anyone = createClient(developmentContract, { baseUrl })
    await owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
    await follower.updateFollow({
      params: { creatorId: (await owner.getMe({})).body.id },
      body: { following: true },
    })
    const { id } = (await publisher.createPost({ body: wholePost })).body
    const params = { postId: id }
    const { now } = (await anyone.readClock()).body
    const publishAt = new Date(Date.parse(now) + 600_000).toISOString()
    await publisher.publishPost({ params, body: { publishAt } })
    const hasEnded = () => doomed.child.signalCode !== null
    await anyone.moveClock({ body: { advanceSeconds: 601 } })
    await until('the process was killed', hasEnded)
    await startProcess(t, settings)
    const published = await until('the post is published', async () => {
      const reply = await publisher.getPost({ params })
      return reply.body.status === 'published' ? reply.body : undefined
    })
    const list = () => follower.listNotifications({ query: {} })
    await until('the follower is notified', async () => (await list()).body.total > 0)
    const done = /pennypost_jobs_total\{name="publish-scheduled-post",outcome="done"\} 1/
    await until('the job is done', async () => done.test(await (await fetch(`${baseUrl}/metrics`)).text()))
    equal((await list()).body.total, 1)
    equal((await publisher.getPost({ params })).body.updatedAt, published!.updatedAt)
  })
}

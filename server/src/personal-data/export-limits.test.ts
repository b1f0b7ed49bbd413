import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { requestConfirmation } from '@pennypost/contract/confirmations'
import { downloadExport, startExport } from '@pennypost/contract/personal-data'
import { signsIn } from '../payments/market.fixture.ts'
import { draft } from '../posts/posts.fixture.ts'
import { until } from '../test/until.ts'
import { createWorld, emptiedWorld, type World } from '../test/world.ts'
import { beginDownload, renewDownload } from './export-store.ts'
import { keepPlace } from './keep-place.ts'
import { codeFor, startsExport } from './personal-data.fixture.ts'

const download = (person: { owner: Awaited<ReturnType<World['reader']>>['owner'] }, exportId: string) =>
  person.owner.calls(downloadExport, { params: { exportId } })

test('an export can be downloaded three times within an hour, by its account', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  const stranger = await world.reader()
  const exportId = await startsExport(world, reader)
  equal((await download(stranger, exportId)).body.code, 'export-not-found')
  equal((await download(reader, randomUUID())).body.code, 'export-not-found')
  for (const _ of [1, 2, 3]) equal((await download(reader, exportId)).status, 200)
  equal((await download(reader, exportId)).body.code, 'export-not-found')
  await world.advance(61)
  const later = await startsExport(world, reader)
  await world.advance(3_600)
  await signsIn(world, reader)
  equal((await download(reader, later)).body.code, 'export-not-found')
})

test('an account starts three exports a day', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  for (const _ of [1, 2, 3]) {
    await startsExport(world, reader)
    await world.advance(61)
  }
  const code = await codeFor(world, reader, 'export')
  const refused = await reader.owner.calls(startExport, { body: { code } })
  deepEqual([refused.status, refused.body.code], [429, 'export-limit'])
  ok(Number(refused.headers.get('retry-after')) > 86_000)
  // The code was not used up.
  await world.advance(30)
  equal((await reader.owner.calls(startExport, { body: { code } })).body.code, 'export-limit')
  await world.advance(86_400)
  await signsIn(world, reader)
  await world.advance(61)
  await startsExport(world, reader)
})

test('one download at a time for an account, and a few for the service; one that stands still loses its place', async (t) => {
  const world = await createWorld(t, { settings: { EXPORTS_AT_ONCE: '2' } })
  const { db, clock } = world.services
  const people = [await world.reader(), await world.reader(), await world.reader()]
  const ids = [] as string[]
  for (const person of people) ids.push(await startsExport(world, person))
  const begin = (index: number) =>
    db
      .transaction()
      .execute((tx) =>
        beginDownload(
          tx,
          { exportId: ids[index]!, accountId: people[index]!.accountId, maxDownloads: 3, maxRunning: 2 },
          clock.now(),
        ),
      )
  const first = await begin(0)
  ok(typeof first === 'object')
  const again = await download(people[0]!, ids[0]!)
  deepEqual([again.status, again.body.code], [409, 'export-running'])
  ok(typeof (await begin(1)) === 'object')
  const busy = await download(people[2]!, ids[2]!)
  deepEqual([busy.status, busy.headers.get('retry-after')], [503, '30'])
  // In parallel, one of two gets the last place.
  await world.advance(45)
  equal(await renewDownload(db, first.runId, clock.now()), true)
  await world.advance(45)
  const raced = await Promise.all([begin(2), begin(2), begin(1)])
  equal(raced.filter((one) => typeof one === 'object').length, 1)
  await world.advance(61)
  equal(await renewDownload(db, first.runId, clock.now()), false)
  equal((await download(people[0]!, ids[0]!)).status, 200)
})

test('a code works once, for its purpose and its account, within ten minutes', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  const exporting = (code: string, person = reader) => person.owner.calls(startExport, { body: { code } })
  const forDeletion = await codeFor(world, reader, 'deletion')
  equal((await exporting(forDeletion)).body.code, 'invalid-verification')
  await world.advance(61)
  const code = await codeFor(world, reader, 'export')
  const other = await world.reader()
  equal((await exporting(code, other)).body.code, 'invalid-verification')
  equal((await exporting(code)).status, 201)
  equal((await exporting(code)).body.code, 'invalid-verification')
  await world.advance(61)
  const late = await codeFor(world, reader, 'export')
  await world.advance(601)
  equal((await exporting(late)).body.code, 'invalid-verification')
})

test('five wrong codes end a code, ten an hour of them; emails have a cooldown', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  const code = await codeFor(world, reader, 'export')
  equal((await reader.owner.calls(requestConfirmation, { body: { purpose: 'export' } })).body.code, 'mail-cooldown')
  const wrong = code === '111111' ? '222222' : '111111'
  for (let tries = 0; tries < 5; tries += 1)
    equal((await reader.owner.calls(startExport, { body: { code: wrong } })).body.code, 'invalid-verification')
  equal((await reader.owner.calls(startExport, { body: { code } })).body.code, 'invalid-verification')
  for (let tries = 6; tries < 10; tries += 1) await reader.owner.calls(startExport, { body: { code: wrong } })
  const refused = await reader.owner.calls(startExport, { body: { code: wrong } })
  deepEqual([refused.status, refused.body.code], [429, 'too-many-tries'])
})

test('a download that is read too slowly ends; one that is fast enough goes on', async (t) => {
  const world = await createWorld(t)
  const { services } = world
  for (const [bytes, ends] of [
    [300_000, true],
    [700_000, false],
  ] as const) {
    const person = await world.reader()
    const exportId = await startsExport(world, person)
    const wanted = { exportId, accountId: person.accountId, maxDownloads: 3, maxRunning: 2 }
    const begun = await services.db.transaction().execute((tx) => beginDownload(tx, wanted, services.clock.now()))
    ok(typeof begun === 'object')
    // So much in each ten seconds.
    async function* archive(): AsyncGenerator<Buffer> {
      for (let piece = 0; piece < 12; piece += 1) {
        await world.advance(10)
        yield Buffer.alloc(bytes)
      }
    }
    const all = async () => {
      let pieces = 0
      for await (const _ of keepPlace(services, begun.runId, archive())) pieces += 1
      return pieces
    }
    if (ends) await rejects(all(), /too slow/)
    else equal(await all(), 12)
    equal((await download(person, exportId)).status, 200)
  }
})

test('a client that goes away stops the export and frees its place', async (t) => {
  const world = await createWorld(t)
  const author = await world.creator()
  // Large enough that it does not fit into the buffers of the connection.
  for (let index = 0; index < 40; index += 1) await draft(author.publisher, { title: `Draft ${index}` })
  await world.services.pool.query(
    `UPDATE posts SET free_markdown = repeat(gen_random_uuid()::text, 5000) WHERE title LIKE 'Draft %'`,
  )
  const exportId = await startsExport(world, author)
  await world.server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.server.server.address() as AddressInfo
  const headers = { authorization: `Bearer ${author.owner.token}` }
  await new Promise<void>((resolve, reject) => {
    const sent = request({ port, path: `/api/v1/account/exports/${exportId}`, headers }, (reply) => {
      reply.once('data', () => {
        reply.pause()
        resolve(isRunning(true).then(() => void reply.destroy()))
      })
    })
    sent.on('error', reject)
    sent.end()
  })
  async function isRunning(expected: boolean): Promise<void> {
    await until(`running: ${expected}`, async () => {
      const { rows } = await world.services.pool.query('SELECT running_until FROM account_exports')
      return (rows[0].running_until !== null) === expected
    })
  }
  await isRunning(false)
})

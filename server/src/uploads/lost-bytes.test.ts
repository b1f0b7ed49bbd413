import { deepEqual, equal, rejects } from 'node:assert/strict'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { getUploadOperation } from '@pennypost/contract/images'
import { getProfile } from '@pennypost/contract/profiles'
import { createWorld } from '../test/world.ts'
import { recordLoss } from './lost-bytes.ts'
import { mediaKey } from './object-keys.ts'
import { findOperation } from './operation-store.ts'
import { reconcileUploads } from './reconcile-uploads.job.ts'
import { picture, sendAvatar } from './uploads.fixture.ts'

async function authorIn(t: TestContext) {
  const world = await createWorld(t)
  const { publisher } = await world.creator()
  const send = async (key: string): Promise<string> =>
    (await sendAvatar(publisher, { bytes: await picture(), key })).body.safety.operationId
  const shown = async (): Promise<string | null> => (await publisher.calls(getProfile, {})).body.avatarUrl
  const safetyOf = async (operationId: string) =>
    (await publisher.calls(getUploadOperation, { params: { operationId } })).body.safety
  const reconcile = () => reconcileUploads.run(world.services, {})
  const objects = join(world.services.config.dataDir, 'objects')
  return { world, send, shown, safetyOf, reconcile, objects }
}

test('a loss that was seen before others came by says nothing about what is there now', async (t) => {
  const { world, send, shown, safetyOf } = await authorIn(t)
  const { services } = world
  const id = await send('a')
  const before = (await findOperation(services.db, id))!
  await world.runJobs()
  const url = await shown()
  await recordLoss(services, before)
  deepEqual([(await safetyOf(id)).state, await shown()], ['cleared', url], 'its bytes have another key since')

  const after = (await findOperation(services.db, id))!
  await recordLoss(services, after)
  deepEqual([(await safetyOf(id)).state, await shown()], ['cleared', url], 'its bytes are there')

  await services.files.remove(mediaKey(id))
  await services.pool.query(`UPDATE upload_operations SET cleanup_state = 'queued'`)
  await recordLoss(services, after)
  deepEqual([(await safetyOf(id)).state, await shown()], ['cleared', url], 'its cleanup removed them')
})

test('a lost image takes only itself off the profile', async (t) => {
  const { world, send, shown, safetyOf } = await authorIn(t)
  const { services } = world
  const id = await send('a')
  await world.runJobs()
  await services.pool.query(`UPDATE profiles SET avatar_url = '/media/other.png'`)
  await services.files.remove(mediaKey(id))
  await recordLoss(services, (await findOperation(services.db, id))!)
  deepEqual([(await safetyOf(id)).state, new URL((await shown())!).pathname], ['failed', '/media/other.png'])
})

test('bytes that come back bring the image back', async (t) => {
  const { world, send, shown, safetyOf, reconcile, objects } = await authorIn(t)
  const id = await send('a')
  await world.runJobs()
  const url = await shown()
  await reconcile()
  const path = join(objects, mediaKey(id))
  await rename(path, `${path}-away`)
  await world.advance(25 * 3600)
  await reconcile()
  const lost = await safetyOf(id)
  deepEqual([lost.state, lost.lastError, lost.associated, await shown()], ['failed', 'bytes-lost', true, null])
  await rename(`${path}-away`, path)
  await reconcile()
  const healed = await safetyOf(id)
  deepEqual([healed.state, healed.lastError, healed.eligible, await shown()], ['cleared', null, true, url])
})

test('in a store that is not ours nothing is called lost, and nothing is removed', async (t) => {
  const { world, send, shown, safetyOf, reconcile, objects } = await authorIn(t)
  const id = await send('a')
  await world.runJobs()
  await reconcile()
  const url = await shown()
  const waiting = await send('b')
  await rename(objects, `${objects}-unmounted`)
  await world.advance(25 * 3600)
  await rejects(reconcile(), /not the object store/)
  await world.runJobs()
  deepEqual([(await safetyOf(id)).state, (await safetyOf(waiting)).state], ['cleared', 'checking'])
  await rename(`${objects}-unmounted`, objects)
  await world.advance(3600)
  await world.runJobs()
  await reconcile()
  equal((await safetyOf(waiting)).state, 'cleared')
  equal((await shown())?.includes(waiting), true, `instead of ${url}`)
})

test('many losses at the same time need a person', async (t) => {
  const { world, reconcile } = await authorIn(t)
  const { files, pool } = world.services
  const ids: string[] = []
  for (let count = 0; count < 6; count += 1) {
    const { publisher } = await world.creator()
    ids.push((await sendAvatar(publisher, { bytes: await picture(), key: 'k' })).body.safety.operationId)
  }
  await world.runJobs()
  for (const id of ids) await files.remove(mediaKey(id))
  await rejects(reconcile(), /6 stored objects are missing/)
  const { rows } = await pool.query('SELECT DISTINCT state FROM upload_operations')
  deepEqual(rows, [{ state: 'cleared' }])
})

test('an operator who knows that they are gone says how many, and they are called lost', async (t) => {
  const { world, reconcile } = await authorIn(t)
  const { files, pool, config } = world.services
  for (let count = 0; count < 7; count += 1) {
    const { publisher } = await world.creator()
    await sendAvatar(publisher, { bytes: await picture(), key: 'k' })
  }
  await world.runJobs()
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM upload_operations ORDER BY id')
  for (const { id } of rows) await files.remove(mediaKey(id))
  const reconcileAccepting = (acceptedLosses: number) =>
    reconcileUploads.run({ ...world.services, config: { ...config, acceptedLosses } }, {})
  await rejects(reconcile(), /7 stored objects are missing.*ACCEPT_LOST_OBJECTS/)
  await rejects(reconcileAccepting(6), /7 stored objects are missing/)
  await reconcileAccepting(7)
  const states = await pool.query('SELECT DISTINCT state, last_error FROM upload_operations')
  deepEqual(states.rows, [{ state: 'failed', last_error: 'bytes-lost' }])
  await reconcile()
})

test('an empty store in place of one that is gone is adopted when an operator says so, and then is ours', async (t) => {
  const { world, send, safetyOf, reconcile, objects } = await authorIn(t)
  const id = await send('a')
  await world.runJobs()
  await reconcile()
  await rm(objects, { recursive: true })
  await world.advance(25 * 3600)
  await rejects(reconcile(), /not the object store.*ACCEPT_LOST_OBJECTS/)
  const { services } = world
  await reconcileUploads.run({ ...services, config: { ...services.config, acceptedLosses: 1 } }, {})
  equal((await safetyOf(id)).lastError, 'bytes-lost')
  await reconcile()
  const next = await send('b')
  await world.runJobs()
  await reconcile()
  equal((await safetyOf(next)).state, 'cleared')
})

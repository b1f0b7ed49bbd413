import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { downloadAttachment } from '@pennypost/contract/attachments'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { cancelUpload, getUploadOperation } from '@pennypost/contract/images'
import { getProfile } from '@pennypost/contract/profiles'
import { startS3Server } from '../platform/files/s3-server.fixture.ts'
import { draft, paidPost } from '../posts/posts.fixture.ts'
import { freePort } from '../test/free-port.ts'
import { folderFor, publishingKey, RemotePerson, type Running, startProcess } from '../test/service-process.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { uploadZip } from './attachments.fixture.ts'
import { picture, sendAvatar, zip } from './uploads.fixture.ts'

// kill -9 of the service, or of the process that looks at the bytes, between any two steps of an upload.

/** The service dies at a point, and is started again by the test that finds it dead. */
class MortalService {
  private running: Running
  private revived: Promise<void> | undefined
  private readonly revive: () => Promise<Running>

  constructor(running: Running, revive: () => Promise<Running>) {
    this.running = running
    this.revive = revive
  }

  get origin(): string {
    return this.running.origin
  }

  get hasDied(): boolean {
    return this.revived !== undefined
  }

  async awaitRevival(): Promise<void> {
    this.revived ??= (async () => {
      const { child } = this.running
      if (child.signalCode === null && child.exitCode === null) await once(child, 'exit')
      equal(child.signalCode, 'SIGKILL')
      this.running = await this.revive()
    })()
    await this.revived
  }

  output(): string {
    return this.running.output()
  }

  async end(): Promise<void> {
    equal(await this.running.end('SIGTERM'), 0)
  }
}

/** A client that sends again, word for word, what got no answer. */
class StubbornPerson extends RemotePerson {
  private readonly mortal: MortalService

  constructor(service: MortalService, token: string) {
    super(service, token)
    this.mortal = service
  }

  override async sends(endpoint: Endpoint, input: Record<string, unknown>) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await super.sends(endpoint, input)
      } catch (error) {
        ok(tries < 2, `the service does not answer: ${(error as Error).cause ?? error}`)
        await this.mortal.awaitRevival()
      }
    }
  }

  /** Looks until the operation is as far as that. */
  // biome-ignore lint/suspicious/noExplicitAny: the reply of an image or of a ZIP
  async sees(operationId: string, isFarEnough: (body: any) => boolean) {
    for (let tries = 0; tries < 600; tries += 1) {
      const { body } = await this.calls(getUploadOperation, { params: { operationId } })
      if (isFarEnough(body)) return body
      await wait(50)
    }
    throw new Error('an upload is stuck')
  }
}

/** The service, and a user of it. */
async function openHouse(t: TestContext, point: string, others: Record<string, string> = {}) {
  const database = await cloneTestDatabase()
  t.after(() => database.drop())
  const settings = {
    DATA_DIR: await folderFor(t),
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
    ...others,
  }
  const running = await startProcess(t, { ...settings, FAULT_POINT: point })
  const service = new MortalService(running, () => startProcess(t, settings))
  return { service, person: new StubbornPerson(service, await publishingKey(service.origin)) }
}

const goodZip = () => zip({ 'a.bin': randomBytes(5_300_000), 'readme.txt': 'hello' })
const badZip = () => zip({ 'safe.txt': 'hello', '../escape.txt': randomBytes(10).toString('hex') })

/** A good ZIP comes through byte by byte and is cleaned up in the end; a bad one beside it is never cleared. */
async function sendZips(person: StubbornPerson): Promise<void> {
  const { id: postId } = await draft(person, paidPost)
  const bytes = goodZip()
  const bad = await uploadZip(person, postId, badZip())
  const good = await uploadZip(person, postId, bytes)
  equal(good.status, 200)
  const seen = await person.sees(good.body.attachment.operation.id, ({ attachment }) => attachment.state === 'ready')
  deepEqual(seen.attachment.contents, ['a.bin', 'readme.txt'])
  const params = { postId, assetId: seen.attachment.id }
  const download = await person.calls(downloadAttachment, { params })
  equal(download.status, 200)
  ok(Buffer.from(download.body).equals(bytes))
  const rejected = await person.sees(bad.body.attachment.operation.id, ({ attachment }) => {
    ok(attachment.safety.state !== 'cleared', 'a bad ZIP was cleared')
    return attachment.safety.state === 'rejected'
  })
  equal(rejected.attachment.safety.eligible, false)
  for (const { body } of [good, bad]) {
    const operationId = body.attachment.operation.id
    await person.calls(cancelUpload, { params: { operationId } })
    await person.sees(
      operationId,
      ({ attachment: { state, operation } }) => state === 'removed' && operation.cleanup.state === 'done',
    )
  }
}

/** An image is shown in the end; one that is none, under the name of one, never is. */
async function sendAvatars(person: StubbornPerson, size = 700): Promise<void> {
  for (const { bytes, state } of [
    { bytes: Buffer.concat([(await picture()).subarray(0, 40), randomBytes(200)]), state: 'rejected' },
    { bytes: await picture('png', size), state: 'cleared' },
  ]) {
    const { status, body } = await sendAvatar(person, { bytes })
    ok(status === 202 || status === 200, JSON.stringify(body))
    const { safety, publicUrl } = await person.sees(
      body.safety.operationId,
      (seen) => !['receiving', 'queued', 'checking'].includes(seen.safety.state),
    )
    deepEqual([safety.state, publicUrl !== null], [state, state === 'cleared'])
    if (publicUrl) equal((await fetch(publicUrl)).status, 200)
  }
}

const zipSteps = [
  ...['zip-reserved', 'part-receiving', 'part-stored', 'part-recorded', 'zip-assembling', 'zip-assembled'],
  ...['zip-received', 'check-begun', 'check-fetched', 'verdict-reached', 'verdict-uncommitted', 'verdict-recorded'],
  ...['cleanup-begun', 'bytes-removed'],
]
/** Where an object store is asked for something else than a folder is. */
const storeSteps = ['part-receiving', 'zip-assembling', 'bytes-removed']
const imageSteps = ['image-claimed', 'image-stored', 'image-received', 'public-bytes-stored', 'bytes-removed']
// An image of more than sixteen million pixels is decoded in the heavy lane.
const decoderSteps = {
  'decoder-started': 700,
  'decoder-ready': 700,
  'decoder-asked': 700,
  'decoder-answered': 700,
}

/** Each death takes two starts of the service: `npm run nightly` dies everywhere, `npm test` where most could be lost. */
const deadly = {
  zip: ['part-recorded', 'verdict-uncommitted'],
  store: ['zip-assembling'],
  image: ['image-stored', 'public-bytes-stored'],
  decoder: ['decoder-asked'],
}
const chosen = (steps: readonly string[], kind: keyof typeof deadly): readonly string[] =>
  process.env.THOROUGH ? steps : steps.filter((step) => deadly[kind].includes(step))

// They mostly wait, for the dead to be missed and for what they left behind, so four run at a time.
test('a user sends a file and the service dies', { concurrency: 4 }, async (t) => {
  const points: Promise<void>[] = []
  for (const point of chosen(zipSteps, 'zip')) {
    const name = `kill -9 of the service in the middle of a ZIP: ${point}`
    points.push(t.test(name, async (t) => dieWhileZipIsSent(await openHouse(t, point))))
  }

  for (const point of chosen(storeSteps, 'store')) {
    const name = `kill -9 of the service in the middle of a ZIP, with its objects on S3: ${point}`
    points.push(
      t.test(name, async (t) => {
        const { endpoint, bucket, accessKeyId, secretAccessKey } = await startS3Server(t, await folderFor(t))
        const OBJECT_STORE_URL = `s3://${accessKeyId}:${secretAccessKey}@${new URL(endpoint).host}/${bucket}?tls=0`
        await dieWhileZipIsSent(await openHouse(t, point, { OBJECT_STORE_URL }))
      }),
    )
  }

  for (const point of chosen(imageSteps, 'image')) {
    points.push(
      t.test(`kill -9 of the service in the middle of an image: ${point}`, async (t) => {
        const { service, person } = await openHouse(t, point)
        await sendAvatars(person)
        // Cleanup comes after the image is shown: a client that polls long enough finds the service dead.
        for (let tries = 0; !service.hasDied && tries < 200; tries += 1) {
          await person.calls(getProfile, {})
          await wait(25)
        }
        ok(service.hasDied, 'the point was not reached')
        await service.end()
      }),
    )
  }

  for (const point of chosen(Object.keys(decoderSteps), 'decoder')) {
    points.push(
      t.test(`kill -9 of the process that looks at the bytes: ${point}`, async (t) => {
        const { service, person } = await openHouse(t, point)
        await sendAvatars(person, decoderSteps[point as keyof typeof decoderSteps])
        ok(!service.hasDied)
        match(service.output(), new RegExp(`fault point: ${point}`))
        await service.end()
      }),
    )
  }
  await Promise.all(points)
})

async function dieWhileZipIsSent({ service, person }: Awaited<ReturnType<typeof openHouse>>): Promise<void> {
  await sendZips(person)
  ok(service.hasDied, 'the point was not reached')
  await service.end()
}

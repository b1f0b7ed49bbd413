import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { downloadAttachment } from '@pennypost/contract/attachments'
import { moveClock } from '@pennypost/contract/development-tools'
import { getUploadOperation } from '@pennypost/contract/images'
import { draft, paidPost } from '../posts/posts.fixture.ts'
import { decoderPeaks, peakBytes } from '../test/process-memory.ts'
import { folderFor, publishingKey, RemotePerson, type Running, startProcess } from '../test/service-process.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'
import { reserve, uploadZip } from './attachments.fixture.ts'
import { needsClamd, prepareClamd } from './screening/clamd.fixture.ts'
import { illustratedPost, sendAvatar, sendImage } from './uploads.fixture.ts'

// The hostile corpus sent to a running service as anyone would send it: `HOSTILE_DIR=… npm test -- hostile-uploads`.
// See the screening's own test for what the folder is.
const folder = process.env.HOSTILE_DIR
const skip = !folder && 'HOSTILE_DIR is not set'

interface Case {
  readonly id: string
  readonly file: string
  readonly verdict: 'accept' | 'reject' | 'either'
  readonly needs?: string
  readonly contents?: readonly string[]
  readonly target: 'avatar' | 'inline'
  readonly mime: string
  readonly mustNotContain?: string
}

const manifest = async () => JSON.parse(await readFile(join(folder!, 'manifest.json'), 'utf8'))
const zipBytes = 10_485_760
const maxServiceBytes = 600 * 1024 * 1024
const maxDecoderBytes = 2 * 1024 ** 3
const sendersAtOnce = 3

/** With a clamd where there is one, or what only an anti-virus can know would pass. */
async function openService(t: TestContext) {
  const database = await cloneTestDatabase()
  t.after(() => database.drop())
  const settings = { DATA_DIR: await folderFor(t), DATABASE_URL: database.url, LOG_LEVEL: 'warn' }
  if (needsClamd.skip) return startProcess(t, settings)
  const clamd = await prepareClamd(t)
  await clamd.start()
  return startProcess(t, { ...settings, CLAMAV_URL: clamd.url })
}

/** Several accounts send in parallel, with a new one every few files and time in between: this is not about quotas. */
async function sendAll(
  service: Running,
  cases: readonly Case[],
  sendOne: (by: RemotePerson, one: Case) => Promise<void>,
) {
  const left = [...cases]
  const sender = async () => {
    for (let one = left.shift(), sent = 0, by: RemotePerson | undefined; one; one = left.shift(), sent += 1) {
      if (sent % 20 === 0) by = new RemotePerson(service, await publishingKey(service.origin))
      await by!.calls(moveClock, { body: { advanceSeconds: 30 } })
      await sendOne(by!, one)
    }
  }
  await Promise.all(Array.from({ length: sendersAtOnce }, sender))
}

/** Sends several requests again and again until it is stopped, and returns the replies other than 200. */
function askAllTheWhile({ origin }: Running): () => Promise<{ answered: number; wrong: string[] }> {
  let isOver = false
  let answered = 0
  const wrong: string[] = []
  const asking = (async () => {
    while (!isOver) {
      for (const path of ['/healthz', '/readyz', '/api/posts']) {
        const reply = await fetch(origin + path).catch((error: Error) => error)
        if (reply instanceof Response) await reply.arrayBuffer()
        if (reply instanceof Response && reply.status === 200) answered += 1
        else wrong.push(`${path}: ${reply instanceof Response ? reply.status : reply.message}`)
      }
      await wait(100)
    }
  })()
  return async () => {
    isOver = true
    await asking
    return { answered, wrong }
  }
}

const requireVerdict = ({ id, verdict }: Case, isCleared: boolean, state: string) => {
  if (verdict !== 'either') equal(isCleared, verdict === 'accept', `${id}: ${state}`)
  ok(['cleared', 'rejected', '413', '422'].includes(state), `${id}: ${state}`)
}

/** What became of an upload, once something has. */
async function outcomeOf(person: RemotePerson, operationId: string) {
  const outcome = async () => {
    const { body } = await person.calls(getUploadOperation, { params: { operationId } })
    const { state } = (body.attachment ?? body).safety
    return !['receiving', 'queued', 'checking'].includes(state) && body
  }
  return until('the upload is checked', outcome, { withinMs: 300_000 })
}

async function sendZip(person: RemotePerson, expected: Case): Promise<void> {
  const post = await draft(person, paidPost)
  const bytes = await readFile(join(folder!, expected.file))
  if (bytes.length === 0 || bytes.length > zipBytes)
    return requireVerdict(expected, false, String((await reserve(person, post.id, bytes)).status))
  const sent = await uploadZip(person, post.id, bytes)
  const { attachment } = await outcomeOf(person, sent.body.attachment.operation.id)
  requireVerdict(expected, attachment.safety.eligible, attachment.safety.state)
  const download = await person.calls(downloadAttachment, { params: { postId: post.id, assetId: attachment.id } })
  equal(download.status, attachment.safety.eligible ? 200 : 409, expected.id)
  if (attachment.safety.eligible && expected.contents) deepEqual(attachment.contents, expected.contents, expected.id)
}

async function sendPicture(person: RemotePerson, expected: Case): Promise<void> {
  const sent = { bytes: await readFile(join(folder!, expected.file)), type: expected.mime }
  const { status, body } =
    expected.target === 'avatar'
      ? await sendAvatar(person, sent)
      : await sendImage(person, (await draft(person, illustratedPost)).id, sent)
  if (status !== 202) return requireVerdict(expected, false, String(status))
  const { safety, publicUrl } = await outcomeOf(person, body.safety.operationId)
  requireVerdict(expected, safety.eligible, safety.state)
  if (!safety.eligible) return
  const shown = await fetch(publicUrl)
  equal(shown.status, 200)
  const bytes = Buffer.from(await shown.arrayBuffer())
  if (expected.mustNotContain) ok(!bytes.includes(expected.mustNotContain), expected.id)
}

test('every hostile file gets its verdict through the API, while the service stays small and answers', {
  skip,
}, async (t) => {
  const service = await openService(t)
  const { zips, images } = (await manifest()) as Record<'zips' | 'images', Case[]>
  const isKnowable = ({ needs }: Case) => needs === undefined || !needsClamd.skip
  const stopAsking = askAllTheWhile(service)
  const stopWatching = decoderPeaks(service.child.pid!)
  await sendAll(service, zips.filter(isKnowable), sendZip)
  await sendAll(service, images, sendPicture)
  const { answered, wrong } = await stopAsking()
  deepEqual(wrong, [])
  ok(answered > 100, `asked only ${answered} times`)
  const decoders = await stopWatching()
  const peak = await peakBytes(service.child.pid!)
  t.diagnostic(`the service at most ${peak >> 20} MiB, a decoder at most ${Math.max(...decoders) >> 20} MiB`)
  ok(peak < maxServiceBytes, `the service took ${peak} bytes`)
  ok(decoders.length > 0 && decoders.every((bytes) => bytes < maxDecoderBytes), `decoders took ${decoders} bytes`)
  equal(await service.end('SIGTERM'), 0)
})

test('every hostile file name gets its verdict', { skip }, async (t) => {
  const service = await openService(t)
  const person = new RemotePerson(service, await publishingKey(service.origin))
  for (const { name, verdict } of (await manifest()).filenames as { name: string; verdict: string }[]) {
    await person.calls(moveClock, { body: { advanceSeconds: 30 } })
    const post = await draft(person, paidPost)
    const { status } = await reserve(person, post.id, Buffer.from('x'), { filename: name })
    if (verdict === 'either') ok(status === 202 || status === 422, name)
    else equal(status, verdict === 'accept' ? 202 : 422, JSON.stringify(name))
  }
})

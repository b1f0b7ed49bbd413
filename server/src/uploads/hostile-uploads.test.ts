import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { downloadAttachment } from '@pennypost/contract/attachments'
import { getMedia, getUploadOperation } from '@pennypost/contract/images'
import type { Creator } from '../test/people.ts'
import { createWorld, type World } from '../test/world.ts'
import { reserve, uploadZip } from './attachments.fixture.ts'
import { draft, paidPost, sendAvatar, sendImage } from './uploads.fixture.ts'

// The hostile corpus sent as anybody would send it: `HOSTILE_DIR=… npm test -- hostile-uploads`. See the screening's
// own test for what the folder is.
const folder = process.env.HOSTILE_DIR
const skip = !folder && 'HOSTILE_DIR is not set'

interface Case {
  readonly id: string
  readonly file: string
  readonly sizeBytes: number
  readonly verdict: 'accept' | 'reject' | 'either'
  readonly needs?: string
  readonly contents?: readonly string[]
  readonly target: 'avatar' | 'inline'
  readonly mime: string
  readonly mustNotContain?: string
}

const manifest = async () => JSON.parse(await readFile(join(folder!, 'manifest.json'), 'utf8'))

/** Somebody new for every few files, and a minute between them: these tests are not about quotas. */
async function* authors(world: World): AsyncGenerator<Creator, never> {
  for (;;) {
    const author = await world.creator()
    for (let turn = 0; turn < 20; turn += 1) {
      await world.advance(10)
      yield author
    }
  }
}

const requireVerdict = ({ id, verdict }: Case, isCleared: boolean, state: string) => {
  if (verdict !== 'either') equal(isCleared, verdict === 'accept', `${id}: ${state}`)
  ok(['cleared', 'rejected', '413', '422'].includes(state), `${id}: ${state}`)
}

test('every hostile ZIP gets its verdict through the API', { skip }, async (t) => {
  const world = await createWorld(t)
  const people = authors(world)
  for (const expected of ((await manifest()).zips as Case[]).filter(({ needs }) => needs === undefined)) {
    const { publisher } = (await people.next()).value
    const post = await draft(publisher, paidPost)
    const bytes = await readFile(join(folder!, expected.file))
    if (bytes.length === 0 || bytes.length > 10_485_760) {
      requireVerdict(expected, false, String((await reserve(publisher, post.id, bytes)).status))
      continue
    }
    const { body } = await uploadZip(publisher, post.id, bytes)
    await world.settle()
    const params = { operationId: body.attachment.operation.id }
    const { attachment } = (await publisher.calls(getUploadOperation, { params })).body
    requireVerdict(expected, attachment.safety.eligible, attachment.safety.state)
    const download = await publisher.calls(downloadAttachment, { params: { postId: post.id, assetId: attachment.id } })
    equal(download.status, attachment.safety.eligible ? 200 : 409, expected.id)
    if (attachment.safety.eligible && expected.contents) deepEqual(attachment.contents, expected.contents, expected.id)
  }
})

test('every hostile image gets its verdict through the API, and nothing hidden in one is published', {
  skip,
}, async (t) => {
  const world = await createWorld(t)
  const people = authors(world)
  for (const expected of (await manifest()).images as Case[]) {
    const { publisher } = (await people.next()).value
    const sent = { bytes: await readFile(join(folder!, expected.file)), type: expected.mime }
    const { status, body } =
      expected.target === 'avatar'
        ? await sendAvatar(publisher, sent)
        : await sendImage(publisher, (await draft(publisher)).id, sent)
    if (status !== 202) {
      requireVerdict(expected, false, String(status))
      continue
    }
    await world.settle()
    const read = await publisher.calls(getUploadOperation, { params: { operationId: body.safety.operationId } })
    const { safety, publicUrl } = read.body
    requireVerdict(expected, safety.eligible, safety.state)
    if (!safety.eligible) continue
    const shown = await world.stranger().calls(getMedia, { params: { file: publicUrl.split('/media/')[1] } })
    equal(shown.status, 200)
    if (expected.mustNotContain) ok(!Buffer.from(shown.body).includes(expected.mustNotContain), expected.id)
  }
})

test('every hostile file name gets its verdict', { skip }, async (t) => {
  const world = await createWorld(t)
  const people = authors(world)
  for (const { name, verdict } of (await manifest()).filenames as { name: string; verdict: string }[]) {
    const { publisher } = (await people.next()).value
    const post = await draft(publisher, paidPost)
    const { status } = await reserve(publisher, post.id, Buffer.from('x'), { filename: name })
    if (verdict === 'either') ok(status === 202 || status === 422, name)
    else equal(status, verdict === 'accept' ? 202 : 422, JSON.stringify(name))
  }
})

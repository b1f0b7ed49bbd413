import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import {
  completeAttachment,
  reserveAttachment,
  storeAttachmentPart,
  transportAttachment,
  uploadAttachment,
} from '@pennypost/contract/attachments'
import { getPost } from '@pennypost/contract/posts'
import { savePayoutAddress } from '@pennypost/contract/profiles'
import { draft, nanoAddress, paidPost } from '../posts/posts.fixture.ts'
import type { Person } from '../test/person.ts'
import { emptiedWorld } from '../test/world.ts'
import { form, sha256, zip } from './uploads.fixture.ts'

export async function paidAuthorIn(t: TestContext) {
  const world = await emptiedWorld(t)
  const author = await world.creator()
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })
  const { id: postId }: { id: string } = await draft(author.publisher, paidPost)
  return { world, author, publisher: author.publisher, postId, params: { postId } }
}

export const smallZip = () => zip({ 'notes/readme.txt': `Hello ${randomUUID()}`, '__MACOSX/._readme.txt': 'x' })

export const assetOf = (postId: string, body: { attachment: { id: string } }) => ({
  params: { postId, assetId: body.attachment.id },
})

export const revisionOf = async (person: Person, postId: string): Promise<string> =>
  (await person.calls(getPost, { params: { postId } })).body.updatedAt

export interface Reservation {
  readonly key?: string
  readonly filename?: string
  readonly description?: string
  readonly sha256?: string
  readonly sizeBytes?: number
  readonly revision?: string | undefined
}

export async function reserve(person: Person, postId: string, bytes: Buffer, wish: Reservation = {}) {
  return person.sends(reserveAttachment, {
    params: { postId },
    headers: { 'x-post-revision': 'revision' in wish ? wish.revision : await revisionOf(person, postId) },
    idempotencyKey: wish.key ?? randomUUID(),
    body: {
      filename: wish.filename ?? 'engines.zip',
      description: wish.description ?? 'All of them',
      sizeBytes: wish.sizeBytes ?? bytes.length,
      sha256: wish.sha256 ?? sha256(bytes),
    },
  })
}

export const operationOf = (postId: string, body: { attachment: { operation: { id: string } } }) => ({
  params: { postId, operationId: body.attachment.operation.id },
})

/** Sends one part as anyone would who was handed only its transfer. */
export async function sendPart(person: Person, url: string, bytes: Buffer, headers: Record<string, string>) {
  return person.sends(storeAttachmentPart, {
    query: Object.fromEntries(new URL(url).searchParams),
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: new Uint8Array(bytes),
  })
}

/** Reserves, sends and completes a ZIP. Returns the reply of the last step. */
export async function uploadZip(person: Person, postId: string, bytes: Buffer, wish: Reservation = {}) {
  const reserved = await reserve(person, postId, bytes, wish)
  equal(reserved.status, 202, JSON.stringify(reserved.body))
  const target = operationOf(postId, reserved.body)
  for (const { number } of reserved.body.attachment.operation.transport.parts) {
    const authorized = await person.calls(transportAttachment, { ...target, body: { partNumber: number } })
    equal(authorized.status, 200, JSON.stringify(authorized.body))
    const { url, offset, length, headers } = authorized.body.transfer
    const stored = await sendPart(person, url, bytes.subarray(offset, offset + length), headers)
    equal(stored.status, 200, JSON.stringify(stored.body))
  }
  return person.calls(completeAttachment, { ...target, body: {} })
}

export async function sendForm(person: Person, postId: string, bytes: Buffer, wish: Reservation = {}) {
  const fields = { description: wish.description ?? 'All of them', sha256: wish.sha256 ?? sha256(bytes) }
  return person.sends(uploadAttachment, {
    params: { postId },
    headers: { 'x-post-revision': 'revision' in wish ? wish.revision : await revisionOf(person, postId) },
    idempotencyKey: wish.key ?? randomUUID(),
    body: form(bytes, 'application/zip', fields, wish.filename ?? 'engines.zip'),
  })
}

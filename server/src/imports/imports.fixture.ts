import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { importAttachment, importImage, importPost, startImport } from '@pennypost/contract/imports'
import { wholePost } from '../posts/posts.fixture.ts'
import type { Creator, Reader } from '../test/people.ts'
import { picture, sha256 } from '../uploads/uploads.fixture.ts'

const { creationAttested: _, ...content } = wholePost

/** A post of 2019, as an importer sends it. */
export const oldPost = {
  ...content,
  sourceId: 'ghost:1',
  status: 'published' as const,
  publishedAt: '2019-05-17T08:00:00.000Z',
}

export async function startsImport({ owner }: Reader, options: object = {}): Promise<string> {
  const { status, body } = await owner.sends(startImport, { body: { source: 'ghost', attested: true, ...options } })
  equal(status, 201, JSON.stringify(body))
  return body.id
}

export const sends = ({ owner }: Reader, importId: string, post: object = oldPost, query: object = {}) =>
  owner.sends(importPost, { params: { importId }, query, body: post })

/** Imports a post, and expects that to succeed. */
export async function imports(author: Creator, post: object = oldPost, importId?: string) {
  const reply = await sends(author, importId ?? (await startsImport(author)), post)
  equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body
}

interface Place {
  readonly importId: string
  readonly postId: string
}

export async function sendsImage(
  { owner }: Reader,
  params: Place,
  sent: { key?: string; request?: string; bytes?: Buffer } = {},
) {
  const form = new FormData()
  form.set('file', new File([sent.bytes ?? (await picture())], 'image', { type: 'image/png' }))
  return owner.sends(importImage, {
    params,
    query: sent.key === undefined ? {} : { key: sent.key },
    body: form,
    idempotencyKey: sent.request ?? randomUUID(),
  })
}

export async function sendsZip(
  { owner }: Reader,
  params: Place,
  bytes: Buffer,
  sent: { filename?: string; sha256?: string; request?: string } = {},
) {
  const form = new FormData()
  form.set('sha256', sent.sha256 ?? sha256(bytes))
  form.set('file', new File([bytes], sent.filename ?? 'engines.zip', { type: 'application/zip' }))
  return owner.sends(importAttachment, { params, body: form, idempotencyKey: sent.request ?? randomUUID() })
}

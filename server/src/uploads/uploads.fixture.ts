import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { uploadAvatar, uploadPostImage } from '@pennypost/contract/images'
import { getPost } from '@pennypost/contract/posts'
import sharp from 'sharp'
import { wholePost } from '../posts/posts.fixture.ts'
import type { Person } from '../test/person.ts'

/** A picture in a new colour, so that no two have the same bytes. */
export async function picture(format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png', size = 16): Promise<Buffer> {
  const [r, g, b] = randomBytes(3) as unknown as [number, number, number]
  return sharp({ create: { width: size, height: size, channels: 3, background: { r, g, b } } })
    .toFormat(format)
    .toBuffer()
}

export interface SentImage {
  readonly bytes?: Buffer
  readonly type?: string
  readonly key?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

export function form(
  bytes: Buffer,
  type: string,
  fields: Readonly<Record<string, string>> = {},
  name = 'a.png',
): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append('file', new Blob([new Uint8Array(bytes)], { type }), name)
  return data
}

export async function sendAvatar(person: Person, sent: SentImage = {}, endpoint: Endpoint = uploadAvatar) {
  return person.sends(endpoint, {
    idempotencyKey: sent.key ?? randomUUID(),
    body: form(sent.bytes ?? (await picture()), sent.type ?? 'image/png', sent.fields),
  })
}

/** An inline image under the key `cover`, on the present revision, unless it says otherwise. */
export async function sendImage(person: Person, postId: string, sent: SentImage = {}) {
  const { body: post } = await person.calls(getPost, { params: { postId } })
  return person.sends(uploadPostImage, {
    params: { postId },
    query: sent.query ?? {},
    headers: sent.headers ?? { 'x-post-revision': post.updatedAt, 'x-upload-target-key': 'cover' },
    idempotencyKey: sent.key ?? randomUUID(),
    body: form(sent.bytes ?? (await picture()), sent.type ?? 'image/png', sent.fields),
  })
}

/** With an image in its text. */
export const illustratedPost = { ...wholePost, freeContentMarkdown: 'Look: ![an engine](image:cover)' }

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** An archive of stored files, as any program writes it. */
export function zip(files: Readonly<Record<string, Buffer | string>>): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const path = Buffer.from(name)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(0x21, 8)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(bytes.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, path, bytes])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, tail, path]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

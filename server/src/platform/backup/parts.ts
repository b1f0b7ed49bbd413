import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import type { FileStore } from '../files/file-store.ts'
import type { Bytes, Transform } from './encryption.ts'

/** What is read is not what was stored. */
export class BackupDamaged extends StartError {}

// A backup consists of parts: objects of a store that begin with the same prefix.

export const Part = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)?$/),
  sizeBytes: z.number().int().min(0),
  /** The checksum of the stored bytes, so they can be checked without decrypting them. */
  sha256: z.string(),
})
export type Part = z.infer<typeof Part>

/** A backup in its store. */
export interface PartStore {
  readonly store: FileStore
  /** Ends with a slash, unless the store has this backup only. */
  readonly prefix: string
}

const attempts = 3
const firstDelayMs = 1_000

/** Stores a part. If that fails, it is read and stored again; so `read` can be called several times. */
export async function putPart(
  { store, prefix }: PartStore,
  name: string,
  read: () => Bytes,
  { tries = attempts, transform = (bytes) => bytes }: { readonly tries?: number; readonly transform?: Transform } = {},
): Promise<Part> {
  for (let attempt = 1; ; attempt += 1) {
    const hashed = createHash('sha256')
    try {
      const { sizeBytes } = await store.put(prefix + name, hashing(hashed, transform(read())), { isLarge: true })
      return { name, sizeBytes, sha256: hashed.digest('hex') }
    } catch (error) {
      if (attempt >= tries) throw error
      await wait(firstDelayMs * 4 ** (attempt - 1))
    }
  }
}

async function* hashing(hash: ReturnType<typeof createHash>, bytes: Bytes): Bytes {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}

/** Reads every part, and throws if one is missing or not what it was. */
export async function verifyParts(at: PartStore, parts: readonly Part[]): Promise<void> {
  for (const { name, sizeBytes, sha256 } of parts) {
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of readPart(at, name)) {
      hash.update(chunk)
      length += chunk.byteLength
    }
    if (length !== sizeBytes || hash.digest('hex') !== sha256) throw new BackupDamaged(`${at.prefix}${name} is damaged`)
  }
}

export async function* readPart({ store, prefix }: PartStore, name: string): Bytes {
  const found = await store.read(prefix + name)
  if (!found) throw new BackupDamaged(`${prefix}${name} is missing: the backup is not whole`)
  yield* found as AsyncIterable<Uint8Array>
}

/** For parts that fit into memory. */
export async function readSmall(bytes: Bytes, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.byteLength
    if (length > maxBytes) throw new StartError('the description of the backup is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

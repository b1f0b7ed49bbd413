import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import pLimit from 'p-limit'
import { observeCall } from '../outgoing/observe-call.ts'
import { type FileStore, isKey, requireKey } from './file-store.ts'
import type { ObjectStoreSettings } from './settings.ts'

/** The minimum part size of S3. Each upload buffers at most this much in memory. */
const partBytes = 5 * 1024 * 1024
/** An object has 10,000 parts at most. */
const largePartBytes = 16 * 1024 * 1024
/** Bounds the memory that uploads use. */
const maxConcurrentUploads = 8

/** Stores objects in an S3 bucket. S3 replies when the bytes are durable, and never shows a partial object. */
export function s3FileStore(settings: ObjectStoreSettings): FileStore {
  const { endpoint, region, accessKeyId, secretAccessKey, bucket: Bucket } = settings
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // Most servers other than Amazon's do not support checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
  })
  client.middlewareStack.add(
    (next, { commandName = 'command' }) =>
      (args) =>
        observeCall({ target: 'files', what: commandName.replace(/Command$/, ''), isReply }, () => next(args)),
    { step: 'initialize' },
  )
  const limitUploads = pLimit(maxConcurrentUploads)

  /** Returns the total size when every part is stored. On failure, no part is left behind. */
  async function putParts(Key: string, first: Buffer, others: AsyncIterable<Buffer>): Promise<number> {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const upload = { Bucket, Key, UploadId }
    try {
      const Parts: { PartNumber: number; ETag: string | undefined }[] = []
      let sizeBytes = 0
      const putPart = async (Body: Buffer) => {
        const PartNumber = Parts.length + 1
        const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }))
        Parts.push({ PartNumber, ETag })
        sizeBytes += Body.length
      }
      await putPart(first)
      for await (const part of others) await putPart(part)
      await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
      return sizeBytes
    } catch (error) {
      await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
      throw error
    }
  }

  return {
    async put(key, bytes, { isLarge = false } = {}) {
      const Key = requireKey(key)
      return limitUploads(async () => {
        const maxBytes = isLarge ? largePartBytes : partBytes
        const parts = inParts(bytes, maxBytes)
        const first = (await parts.next()).value ?? Buffer.alloc(0)
        if (first.length === maxBytes) return { sizeBytes: await putParts(Key, first, parts) }
        await client.send(new PutObjectCommand({ Bucket, Key, Body: first }))
        return { sizeBytes: first.length }
      })
    },
    async read(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const found = await unlessMissing(client.send(new GetObjectCommand({ Bucket, Key: requireKey(key), Range })))
      return found?.Body as Readable | undefined
    },
    async sizeOf(key) {
      const found = await unlessMissing(client.send(new HeadObjectCommand({ Bucket, Key: requireKey(key) })))
      // A HEAD reply has no body to say whether the object or the bucket is missing.
      if (!found) await client.send(new HeadBucketCommand({ Bucket }))
      return found?.ContentLength
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: requireKey(key) }))
    },
    async *list(Prefix) {
      // The older listing API, which continues from the last key. Some servers lack the token of the newer one.
      let Marker: string | undefined
      do {
        const { Contents = [], IsTruncated } = await client.send(new ListObjectsCommand({ Bucket, Prefix, Marker }))
        for (const { Key, Size, LastModified } of Contents) {
          if (isKey(Key!)) yield { key: Key!, sizeBytes: Size!, modifiedAt: LastModified! }
        }
        const last = IsTruncated ? Contents.at(-1)?.Key : undefined
        if (last !== undefined && last === Marker)
          throw new Error('the S3 server lists the same objects again and again')
        Marker = last
      } while (Marker !== undefined)
    },
    async verify() {
      await client.send(new PutObjectCommand({ Bucket, Key: '.probe', Body: Buffer.alloc(1) }))
    },
  }
}

/** Whether the server replied: a missing object shows that the bucket works. */
const isReply = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500

/** Splits bytes into parts of the full size and a smaller last one, if there is a remainder. */
async function* inParts(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer, undefined> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    // A piece may be larger than a part.
    for (let at = 0; at < piece.byteLength; ) {
      const taken = piece.subarray(at, at + maxBytes - length)
      pieces.push(taken)
      length += taken.byteLength
      at += taken.byteLength
      if (length < maxBytes) continue
      yield Buffer.concat(pieces, length)
      pieces = []
      length = 0
    }
  }
  if (length > 0) yield Buffer.concat(pieces, length)
  return undefined
}

async function unlessMissing<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply
  } catch (error) {
    // A missing object. A missing bucket has the same status but another name.
    if (error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name)) return undefined
    throw error
  }
}

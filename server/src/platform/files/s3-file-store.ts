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
import type { ObjectStoreSettings } from '../config.ts'
import { turns } from '../turns.ts'
import { type FileStore, isKey, requireKey } from './file-store.ts'

/** The smallest part that S3 takes. What is under way is held in memory up to here. */
const partBytes = 5 * 1024 * 1024
/** More uploads wait, so that memory stays flat however many there are. */
const uploadsAtOnce = 8

/** Objects in a bucket. S3 answers when the bytes are safe, and shows an object whole or not at all. */
export function s3FileStore(settings: ObjectStoreSettings): FileStore {
  const { endpoint, region, accessKeyId, secretAccessKey, bucket: Bucket } = settings
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // Checksums in trailers are unknown to most servers that are not Amazon's.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
  })
  const uploads = turns(uploadsAtOnce)

  /** Answers how many bytes there were when every part is stored; otherwise none is left. */
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
    async put(key, bytes) {
      const Key = requireKey(key)
      const leave = await uploads.take()
      try {
        const parts = inParts(bytes)
        const first = (await parts.next()).value ?? Buffer.alloc(0)
        if (first.length === partBytes) return { sizeBytes: await putParts(Key, first, parts) }
        await client.send(new PutObjectCommand({ Bucket, Key, Body: first }))
        return { sizeBytes: first.length }
      } finally {
        leave()
      }
    },
    async read(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const found = await unlessMissing(client.send(new GetObjectCommand({ Bucket, Key: requireKey(key), Range })))
      return found?.Body as Readable | undefined
    },
    async sizeOf(key) {
      const found = await unlessMissing(client.send(new HeadObjectCommand({ Bucket, Key: requireKey(key) })))
      // The answer to HEAD has no body that could say which of the two is missing.
      if (!found) await client.send(new HeadBucketCommand({ Bucket }))
      return found?.ContentLength
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: requireKey(key) }))
    },
    async *list(Prefix) {
      // The older listing: it goes on from the last key, where the newer one needs a token that some servers lack.
      let Marker: string | undefined
      do {
        const { Contents = [], IsTruncated } = await client.send(new ListObjectsCommand({ Bucket, Prefix, Marker }))
        for (const { Key, Size, LastModified } of Contents) {
          if (isKey(Key!)) yield { key: Key!, sizeBytes: Size!, modifiedAt: LastModified! }
        }
        Marker = IsTruncated ? Contents.at(-1)?.Key : undefined
      } while (Marker !== undefined)
    },
    async verify() {
      await client.send(new PutObjectCommand({ Bucket, Key: '.probe', Body: Buffer.alloc(1) }))
    },
  }
}

/** Parts of the full size and a rest, which may be missing. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    // A piece may be of any size, larger than a part too.
    for (let at = 0; at < piece.byteLength; ) {
      const taken = piece.subarray(at, at + partBytes - length)
      pieces.push(taken)
      length += taken.byteLength
      at += taken.byteLength
      if (length < partBytes) continue
      yield Buffer.concat(pieces, length)
      pieces = []
      length = 0
    }
  }
  if (length > 0) yield Buffer.concat(pieces, length)
  return undefined
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    // A missing object, and not a missing bucket, which has the same status.
    if (error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name)) return undefined
    throw error
  }
}

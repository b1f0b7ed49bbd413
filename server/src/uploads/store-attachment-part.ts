import { crc32 } from 'node:zlib'
import {
  attachmentState,
  capabilityRefused,
  type storeAttachmentPart as declared,
  uploadUnconfirmed,
} from '@pennypost/contract/attachments'
import { uploadIdempotency } from '@pennypost/contract/idempotency'
import { Uuid } from '@pennypost/contract/schemas'
import { faultPoint } from '../platform/fault-point.ts'
import { refuse } from '../platform/http/refuse.ts'
import { partKey } from './object-keys.ts'
import { verifyCapability } from './part-capability.ts'
import { findPart, type Part, recordPart } from './part-store.ts'
import type { Handler, UploadServices } from './services.ts'

export const storeAttachmentPart: Handler<typeof declared> = async (services, { query, headers, body }) => {
  const part = await findBoundPart(services, query)
  const isBound =
    part !== undefined &&
    headers['content-length'] === String(part.length) &&
    verifyCapability(services.secrets, part, headers['x-part-capability'], services.clock.now())
  // The same refusal whatever is wrong, so that nobody can probe for existing operations.
  if (!isBound) return refuse(capabilityRefused)
  const { checksum, isRecorded } = await store(services, part, body)
  if (!isRecorded) await requireSameBytes(services, part, checksum)
  return { status: 200, body: { partNumber: part.number, length: part.length, stored: true } }
}

/** Accepts a part that was already stored, if its bytes are the same. */
async function requireSameBytes({ db }: UploadServices, part: Part, checksum: number): Promise<void> {
  const recorded = await findPart(db, part.operation_id, part.number)
  if (recorded?.state !== 'stored') refuse(attachmentState)
  if (Number(recorded.checksum) !== checksum) refuse(uploadIdempotency.conflict)
}

async function findBoundPart(
  { db }: UploadServices,
  query: { operation?: string | undefined; part?: string | undefined },
) {
  const operation = Uuid.safeParse(query.operation)
  if (!operation.success || !/^[1-9]\d{0,3}$/.test(query.part ?? '')) return undefined
  return findPart(db, operation.data, Number(query.part))
}

/**
 * Stores a part's bytes under a new key, then records the key. Of two concurrent requests one is recorded, and the
 * other one's bytes are removed.
 */
async function store({ db, files, clock, log }: UploadServices, part: Part, body: AsyncIterable<Uint8Array>) {
  const key = partKey(part.operation_id, part.number)
  // CRC-32 is fast and good enough to compare honest retries. Forging it gains nothing: the first bytes stay, and the
  // whole ZIP must have the announced SHA-256.
  let checksum = 0
  let length = 0
  const measured = async function* () {
    for await (const chunk of body) {
      checksum = crc32(chunk, checksum)
      length += chunk.byteLength
      yield chunk
      faultPoint('part-receiving')
    }
  }
  const isKnown = part.state === 'stored'
  try {
    // The part is already stored: read these bytes only to compare them.
    if (isKnown) for await (const _ of measured());
    else await files.put(key, measured(), { isNew: true, takesBytes: true })
    if (length !== part.length) throw new Error('the body ended early')
  } catch (error) {
    if (!isKnown) await files.remove(key).catch(() => {})
    log.warn({ operationId: part.operation_id, cause: (error as Error).message }, 'could not store a part')
    refuse(uploadUnconfirmed, {}, { retryAfterSeconds: 2 })
  }
  faultPoint('part-stored')
  const isRecorded = !isKnown && (await recordPart(db, part, { checksum, key }, clock.now()))
  faultPoint('part-recorded')
  if (!isKnown && !isRecorded) await files.remove(key)
  return { checksum, isRecorded }
}

import { PennypostError } from '../errors.ts'
import type { ImageOperation, OwnedAttachment } from '../generated/types.ts'
import { pause } from '../http/send.ts'

/** The bytes to upload: a `File` or `Blob` of a page, `openAsBlob(path)` in Node, or bytes. */
export type UploadSource = Blob | Uint8Array | ArrayBuffer

export interface WaitOptions {
  signal?: AbortSignal | undefined
  /** How long to wait for the safety check. Default: 300 seconds. */
  waitSeconds?: number | undefined
}

type Safety = ImageOperation['safety'] | OwnedAttachment['safety']

const defaultWaitSeconds = 300

export const blobOf = (source: UploadSource, type: string): Blob =>
  source instanceof Blob && source.type === type ? source : new Blob([source as Blob], { type })

export async function sha256Of(blob: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * The idempotency key of an upload, made of what is uploaded and where to. So the same upload in another process, after a
 * crash, continues the first one, although nothing was saved.
 */
export async function uploadKey(...parts: readonly string[]): Promise<string> {
  return `sdk-${await sha256Of(new Blob([JSON.stringify(parts)]))}`
}

const endStates = new Set<Safety['state']>(['cleared', 'rejected', 'failed', 'cancelled'])

/** Polls an upload until it was checked, as often as the service asks for. Throws if it did not pass. */
export async function untilChecked<Result>(
  read: () => Promise<Result>,
  safetyOf: (result: Result) => Safety,
  { signal, waitSeconds = defaultWaitSeconds }: WaitOptions,
): Promise<Result> {
  const until = Date.now() + waitSeconds * 1000
  for (;;) {
    const result = await read()
    const { state, lastError, retryAfterSeconds, operationId } = safetyOf(result)
    if (state === 'cleared') return result
    const details = { state, operationId }
    if (endStates.has(state)) {
      const detail = `The file did not pass the safety check (${state})${lastError ? `: ${lastError}` : ''}.`
      throw new PennypostError({ code: 'upload-rejected', detail, details })
    }
    if (Date.now() > until) {
      const detail = `The file is not checked after ${waitSeconds} seconds. Upload the same file again to go on waiting.`
      throw new PennypostError({ code: 'timeout', detail, details })
    }
    await pause(Math.min(Math.max(retryAfterSeconds, 0.1), 30) * 1000, signal)
  }
}

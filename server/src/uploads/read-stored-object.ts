import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import type { UploadServices } from './services.ts'

/**
 * Reads stored bytes for a reply. Returns undefined if there are none; refuses with 503 if the store is unavailable.
 */
export const readStoredObject = (
  { files, log }: Pick<UploadServices, 'files' | 'log'>,
  key: string,
  range?: { readonly start: number; readonly end: number },
) =>
  files.read(key, range).catch((error: Error) => {
    log.error({ key, cause: error.message }, 'could not read stored bytes')
    return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 5 })
  })

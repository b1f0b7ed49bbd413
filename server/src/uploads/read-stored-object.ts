import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import type { UploadServices } from './services.ts'

/** Stored bytes for somebody who waits for them. Undefined where there are none; a store that is away is no fault of ours. */
export const readStoredObject = (
  { files, log }: Pick<UploadServices, 'files' | 'log'>,
  key: string,
  range?: { readonly start: number; readonly end: number },
) =>
  files.read(key, range).catch((error: Error) => {
    log.error({ key, cause: error.message }, 'stored bytes could not be read')
    return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 5 })
  })

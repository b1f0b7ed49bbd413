import {
  contentLengthRequired,
  internalError,
  invalidRequest,
  malformedJson,
  notFound,
  payloadTooLarge,
  temporarilyUnavailable,
  unsupportedMediaType,
} from '@pennypost/contract/errors'
import { isDatabaseUnavailable } from '../database/database.ts'
import { Refused } from './refuse.ts'
import { ServiceUnavailable } from './service-unavailable.ts'

/** Errors that the HTTP library throws before our code runs, as refusals. */
const libraryRefusals: Readonly<Record<string, Refused>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Refused(payloadTooLarge, {}, {}),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Refused(unsupportedMediaType, {}, {}),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Refused(
    malformedJson,
    {},
    { detail: 'The length of the body differs from Content-Length.' },
  ),
  FST_ERR_CTP_INVALID_TYPE: new Refused(unsupportedMediaType, {}, {}),
  FST_ERR_BAD_URL: new Refused(
    invalidRequest,
    { errors: [{ field: 'path', code: 'invalid_text', message: 'is not valid' }] },
    {},
  ),
  FST_ERR_MAX_PARAM_LENGTH: new Refused(notFound, {}, {}),
  FST_INVALID_MULTIPART_CONTENT_TYPE: new Refused(unsupportedMediaType, {}, {}),
}

export const missingLength = new Refused(contentLengthRequired, {}, {})

/** Whether there is no room for a temporary file. Trying again later can help: an operator will free some. */
const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The refusal that a client gets for an error. `bug` is true for errors that nobody expected. */
export function refusalOfError(error: unknown): { refused: Refused; bug: boolean } {
  if (error instanceof Refused) return { refused: error, bug: false }
  const known = libraryRefusals[(error as { code?: string }).code ?? '']
  if (known) return { refused: known, bug: false }
  if (isDatabaseUnavailable(error) || isDiskFull(error) || error instanceof ServiceUnavailable) {
    return { refused: new Refused(temporarilyUnavailable, {}, { retryAfterSeconds: 2 }), bug: false }
  }
  return { refused: new Refused(internalError, {}, {}), bug: true }
}

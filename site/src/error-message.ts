import { RefusedError } from '@pennypost/contract/client'

interface FieldError {
  readonly field: string
  readonly message: string
}

/** The errors of single fields that a refusal lists; empty for any other error. */
export const fieldErrors = (error: unknown): readonly FieldError[] =>
  error instanceof RefusedError && Array.isArray(error.body.errors) ? (error.body.errors as FieldError[]) : []

/** The sentence that tells the user what went wrong. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof RefusedError)) return 'The service could not be reached. Try again in a moment.'
  const message = error.body.detail ?? error.body.message
  const wait = error.retryAfterSeconds === undefined ? '' : ` Try again in ${formatWait(error.retryAfterSeconds)}.`
  return `${typeof message === 'string' && message !== '' ? message : 'That did not work.'}${wait}`
}

const formatWait = (seconds: number): string =>
  seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`

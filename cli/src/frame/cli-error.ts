import { PennypostError } from '@pennypost/sdk'
import { type ExitName, exitCodes } from './exit-codes.ts'

/** An expected failure, with the sentence that a person reads. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exit: ExitName
  /** For programs: kebab-case, such as `unknown-command`. */
  readonly code: string
  /** Further lines: what to do, or a list of problems. */
  readonly hints: readonly string[]
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    exit: ExitName,
    code: string,
    message: string,
    { hints = [], details = {} }: { hints?: readonly string[]; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message)
    this.exit = exit
    this.code = code
    this.hints = hints
    this.details = details
  }
}

export const usageError = (message: string, ...hints: string[]): CliError =>
  new CliError('usage', 'wrong-usage', message, { hints })

/** What is printed about an error, and the exit code. */
export interface Failure {
  readonly exitCode: number
  readonly code: string
  readonly message: string
  readonly hints: readonly string[]
  readonly details: Readonly<Record<string, unknown>>
}

export function failureOf(error: unknown, signal: AbortSignal): Failure {
  // An interrupted payment says more than that it was interrupted.
  if (signal.aborted && !(error instanceof PennypostError && error.code === 'payment-uncertain'))
    return { ...plain('interrupted', 'Interrupted. Run the same command again to continue.') }
  if (error instanceof CliError) {
    const { exit, code, message, hints, details } = error
    return { exitCode: exitCodes[exit].code, code, message, hints, details }
  }
  if (error instanceof PennypostError) return failureOfService(error)
  const message = error instanceof Error ? error.message : String(error)
  const fileSystem = (error as NodeJS.ErrnoException)?.code
  return plain('failed', message, typeof fileSystem === 'string' ? fileSystem.toLowerCase() : 'failed')
}

const plain = (exit: ExitName, message: string, code: string = exit): Failure => ({
  exitCode: exitCodes[exit].code,
  code,
  message,
  hints: [],
  details: {},
})

function failureOfService(error: PennypostError): Failure {
  const { code, detail, status, fieldErrors, requestId, retryAfterSeconds } = error
  const exit = exitOf(error)
  return {
    exitCode: exitCodes[exit].code,
    code,
    message: detail,
    hints: [...fieldErrors.map(({ field, message }) => `${field}: ${message}`), ...(advice[code] ?? [])],
    details: {
      ...(status !== 0 && { status }),
      ...(fieldErrors.length > 0 && { fieldErrors }),
      ...(requestId !== undefined && { requestId }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...('postId' in error.details && { postId: error.details.postId }),
    },
  }
}

const advice: Readonly<Record<string, readonly string[]>> = {
  'payment-uncertain': ['Run the same command again. The same signed payment is sent, so you cannot pay twice.'],
  'no-way-to-pay': [
    'For Nano, set PENNYPOST_NANO_SEED_FILE and PENNYPOST_NANO_NODE. For USDC, set PENNYPOST_BASE_KEY_FILE.',
  ],
  'session-expired': ['Sign in again: pennypost login'],
}

function exitOf({ code, status }: PennypostError): ExitName {
  if (code === 'payment-uncertain') return 'uncertain'
  if (['spending-limit', 'payment-required', 'no-way-to-pay', 'payment-refused'].includes(code)) return 'payment'
  if (code === 'network-error' || code === 'timeout') return 'unreachable'
  if (status === 401) return 'signedOut'
  if (status === 429 || status >= 500) return 'unreachable'
  return status >= 400 || code === 'upload-rejected' || code === 'order-ended' ? 'refused' : 'failed'
}

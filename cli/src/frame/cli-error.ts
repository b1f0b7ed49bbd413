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

/** The output for an error, and the exit code. */
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
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  const message = sentenceOf(error)
  return typeof code === 'string' ? plain('failed', message, code.toLowerCase()) : plain('failed', message)
}

/** The message of an error for people. Errors of the file system get a sentence. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  if (!Object.hasOwn(fileSystem, code)) return error.message || code
  const where = dest ?? path
  return `${fileSystem[code as keyof typeof fileSystem]}${where === undefined ? '.' : `: ${where}`}`
}

/** Sentences for error codes of the file system. */
const fileSystem = {
  ENOENT: 'There is no such file or folder',
  EACCES: 'You have no permission for this file or folder',
  EPERM: 'You have no permission for this file or folder',
  EROFS: 'This file system can only be read',
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk is full',
  EISDIR: 'This is a folder, not a file',
  ENOTDIR: 'Part of this path is a file, not a folder',
  ENAMETOOLONG: 'This name is too long',
} as const

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
    hints: [
      ...fieldErrors.map(({ field, message }) => `${field}: ${message}`),
      ...(code === 'network-error' ? reasonsOf(error) : []),
      ...(advice[code] ?? []),
      ...(retryAfterSeconds === undefined ? [] : [`Try again in ${Math.ceil(retryAfterSeconds)} seconds.`]),
    ],
    details: {
      ...(status !== 0 && { status }),
      ...(fieldErrors.length > 0 && { fieldErrors }),
      ...(requestId !== undefined && { requestId }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...('postId' in error.details && { postId: error.details.postId }),
    },
  }
}

/** Why there is no connection: the name, the port, the certificate. `fetch` hides it in the causes of its error. */
function reasonsOf(error: Error): string[] {
  let innermost: Error = error
  for (let depth = 0; depth < maxCauses; depth += 1) {
    const next: unknown = innermost instanceof AggregateError ? innermost.errors[0] : innermost.cause
    if (!(next instanceof Error)) break
    innermost = next
  }
  return innermost === error || innermost.message === '' ? [] : [innermost.message]
}

const maxCauses = 5

const advice: Readonly<Record<string, readonly string[]>> = {
  'network-error': ['Check the URL (--url or PENNYPOST_URL), your connection, and whether the service is running.'],
  'payment-uncertain': ['Run the same command again. The same signed payment is sent, so you cannot pay twice.'],
  'spending-limit': [
    'Say with --max what you allow, such as --max 0.10XNO. PENNYPOST_DAILY_LIMIT limits what is spent in 24 hours.',
  ],
  'no-way-to-pay': [
    'For Nano, set PENNYPOST_NANO_SEED_FILE and PENNYPOST_NANO_NODE. For USDC, set PENNYPOST_BASE_KEY_FILE.',
  ],
  'session-expired': ['Sign in again: pennypost login'],
  unauthorized: [
    'Your publishing key or your session has expired, was revoked, or is not complete.',
    'Sign in and create a new key: pennypost login, then pennypost keys issue --save',
    'A key in PENNYPOST_KEY or PENNYPOST_KEY_FILE is used in place of the one that is saved.',
  ],
}

function exitOf({ code, status }: PennypostError): ExitName {
  if (code === 'payment-uncertain') return 'uncertain'
  if (['spending-limit', 'payment-required', 'no-way-to-pay', 'payment-refused'].includes(code)) return 'payment'
  if (code === 'network-error' || code === 'timeout') return 'unreachable'
  if (status === 401) return 'signedOut'
  if (status === 429 || status >= 500) return 'unreachable'
  return status >= 400 || code === 'upload-rejected' || code === 'order-ended' ? 'refused' : 'failed'
}

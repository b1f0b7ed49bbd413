import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Config } from '@pennypost/server/dist/config.js'
import type { Redact } from '@pennypost/server/dist/operator/redact.js'
import type { Log } from '@pennypost/server/dist/platform/log.js'
import { CliError, sentenceOf, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { loadServer } from './load-server.ts'

// What the operator's commands share: the settings of the service, and how its errors are shown.

export const settingsOptions = {
  settings: {
    type: 'string',
    value: 'FILE',
    summary: 'Read settings of the service from this file too; those of the environment win',
  },
} as const

type Settings = Readonly<Record<string, string | undefined>>

/** The settings of the service: the environment, and a file with lines such as `PORT=3000`. */
export async function readSettings(shell: Shell, file: string | undefined): Promise<Settings> {
  if (file === undefined) return shell.env
  let text: string
  try {
    text = await readFile(resolve(shell.cwd, file), 'utf8')
  } catch (error) {
    throw usageError(`--settings: ${sentenceOf(error)}`)
  }
  return { ...parseEnv(text), ...shell.env }
}

export interface Operation {
  readonly settings: Settings
  readonly config: Config
  /** Logs errors only: everything else is in the result of the command. */
  readonly log: Log
  readonly redact: Redact
}

/**
 * Runs a part of a command with the settings of the service. An interrupted command stops; an embedded database
 * that it started notices that and stops. `isGraceful`: the command ends itself when the signal comes.
 */
export async function operate<T>(
  shell: Shell,
  options: { readonly settings: string | undefined },
  use: (operation: Operation) => Promise<T>,
  { isGraceful = false } = {},
): Promise<T> {
  const given = await readSettings(shell, options.settings)
  const { readConfig, readSettingFiles } = await loadServer(() => import('@pennypost/server/dist/config.js'))
  const { createRedact } = await loadServer(() => import('@pennypost/server/dist/operator/redact.js'))
  const { createLog } = await loadServer(() => import('@pennypost/server/dist/platform/log.js'))
  let redact = createRedact(given)
  try {
    const settings = readSettingFiles(given)
    redact = createRedact(settings)
    const working = use({ settings, config: readConfig(settings), log: createLog('error'), redact })
    if (isGraceful) return await working
    working.catch(() => {})
    return await Promise.race([working, untilInterrupted(shell.signal)])
  } catch (error) {
    throw explained(error, redact)
  }
}

/** There is no connection, or PostgreSQL refuses it: the database does not exist, or the password is wrong. */
const unreachable = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  '28P01',
  '28000',
  '3D000',
]

const untilInterrupted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Says the reason of an expected failure, without secrets. Anything else stays what it is. */
function explained(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error) || error instanceof CliError) return error
  if (error.name === 'CommandRefused') {
    const hints = (error as Error & { hints?: readonly string[] }).hints ?? []
    return new CliError('refused', 'refused', redact(error.message), { hints: hints.map(redact) })
  }
  if (error.name === 'StartError') return new CliError('failed', 'cannot-start', redact(error.message))
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return explained(error.errors[0], redact)
  const { code } = error as NodeJS.ErrnoException
  const isConnection = code !== undefined && /^(E[A-Z]+|\d[0-9A-Z]{4})$/.test(code)
  if (!isConnection) return error
  const hints = unreachable.includes(code) ? ['Run pennypost doctor: it says which setting this server is from.'] : []
  return new CliError('failed', code.toLowerCase(), redact(sentenceOf(error)), { hints })
}

import type { Readable } from 'node:stream'
import type { CommandTable, GlobalValues } from './command.ts'
import type { Output } from './output.ts'

/** What a command is given of the world around it. Commands use nothing of `process` themselves. */
export interface Shell {
  readonly output: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }
  /** Aborted by Ctrl-C. A command that is interrupted leaves files whole, and goes on when it is run again. */
  readonly signal: AbortSignal
  /** The options that every command takes, as they were given. */
  readonly global: GlobalValues
  readonly table: CommandTable
  /** Writes a question to the terminal, without a line break. */
  prompt(question: string): void
  readonly version: string
}

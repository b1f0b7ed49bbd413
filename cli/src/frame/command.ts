import type { Readable } from 'node:stream'
import type { Output } from './output.ts'

/** An option of a command. Its name is written `--name`. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly summary: string
  readonly short?: string
  /** The placeholder for the value in help, such as `FILE`. With `FILE` or `FOLDER`, shells complete paths. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly default?: string
  /** Can be given several times. */
  readonly many?: true
}

export interface Positional {
  /** In capitals, such as `FILE`. */
  readonly name: string
  readonly summary: string
  readonly choices?: readonly string[]
  /** It can be a file or a folder, so shells complete paths. */
  readonly isPath?: true
  readonly optional?: true
  /** Takes all further arguments. Only the last positional can have it. */
  readonly many?: true
}

export type Options = Readonly<Record<string, Option>>

type ValueOf<O extends Option> = O extends { type: 'boolean' }
  ? boolean
  : O extends { many: true }
    ? readonly string[]
    : O extends { default: string }
      ? string
      : string | undefined

export type OptionValues<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

export type PositionalValues<P extends readonly Positional[]> = {
  readonly [Each in P[number] as Each['name']]: Each extends { many: true }
    ? readonly string[]
    : Each extends { optional: true }
      ? string | undefined
      : string
}

interface Declaration<P extends readonly Positional[], O extends Options> {
  /** One or two words: `whoami`, `post push`. */
  readonly name: string
  /** One line, without a full stop. */
  readonly summary: string
  /** Further paragraphs for its help. */
  readonly description?: string
  readonly positionals?: P
  readonly options?: O
  /** Command lines with an explanation each. */
  readonly examples?: readonly (readonly [line: string, explanation: string])[]
  run(call: { readonly args: PositionalValues<P>; readonly options: OptionValues<O> }, shell: Shell): Promise<void>
}

/** A command as the table has it. Help, completion and the reference page are made of it. */
export interface Command {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly positionals: readonly Positional[]
  readonly options: Options
  readonly examples: readonly (readonly [line: string, explanation: string])[]
  run(call: { readonly args: object; readonly options: object }, shell: Shell): Promise<void>
}

/**
 * Declares a command. `run` gets its arguments and options by name, with their types.
 * @example
 * export const whoami = command({
 *   name: 'whoami',
 *   summary: 'Show who you are signed in as',
 *   async run(_, shell) { … },
 * })
 */
export function command<const P extends readonly Positional[] = [], const O extends Options = Record<never, Option>>(
  declaration: Declaration<P, O>,
): Command {
  const { name, summary, description = '', examples = [] } = declaration
  return {
    name,
    summary,
    description,
    positionals: declaration.positionals ?? [],
    options: declaration.options ?? {},
    examples,
    run: (call, shell) => declaration.run(call as { args: PositionalValues<P>; options: OptionValues<O> }, shell),
  }
}

/** The options that every command takes. */
export const globalOptions = {
  json: { type: 'boolean', summary: 'Print JSON, errors too' },
  profile: { type: 'string', value: 'NAME', summary: 'Use another profile, with its own service, session and keys' },
  url: { type: 'string', value: 'URL', summary: 'The service, instead of the one of the profile' },
  timeout: { type: 'string', value: 'SECONDS', summary: 'How long to wait for a response (60)' },
  help: { type: 'boolean', short: 'h', summary: 'Show help' },
} as const satisfies Options

export type GlobalValues = Partial<OptionValues<typeof globalOptions>>

/** The table of all commands, and a line about each first word that has several. */
export interface CommandTable {
  readonly commands: readonly Command[]
  readonly groups: Readonly<Record<string, string>>
}

/** Everything that a command gets from its environment. Commands never use `process` directly. */
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

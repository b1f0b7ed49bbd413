import { type ParseArgsConfig, parseArgs } from 'node:util'
import { usageError } from './cli-error.ts'
import { type Command, type CommandTable, type GlobalValues, globalOptions, type Options } from './command.ts'
import { didYouMean, suggestions } from './suggest.ts'

/** A parsed command line. */
export type Parsed =
  | { readonly kind: 'command'; readonly command: Command; readonly args: object; readonly options: object }
  /** Help about a command, a group such as `post`, or everything. `isWrong`: a group needs another word. */
  | { readonly kind: 'help'; readonly topic: string; readonly isWrong: boolean }
  | { readonly kind: 'version' }

export interface CommandLine {
  readonly global: GlobalValues
  parse(): Parsed
}

/**
 * Reads a command line in two steps: `global` is known even if the rest is wrong, so that an error about it can be printed
 * as JSON.
 */
export function readCommandLine(args: readonly string[], table: CommandTable): CommandLine {
  const { before, words, rest } = split(args, table)
  const isJson = args.slice(0, args.indexOf('--') === -1 ? args.length : args.indexOf('--')).includes('--json')
  const global: Record<string, unknown> = { json: isJson }
  return {
    global: global as GlobalValues,
    parse() {
      refuseSecrets(args)
      if (words.length === 0 && args.includes('--version')) return { kind: 'version' }
      const command = table.commands.find(({ name }) => name === words.join(' '))
      if (command === undefined) return withoutCommand(before, words, rest, table)
      const values = strictly([...before, ...rest], command)
      for (const name of Object.keys(globalOptions)) global[name] = values.options[name]
      if (values.options.help === true) return { kind: 'help', topic: command.name, isWrong: false }
      return {
        kind: 'command',
        command,
        args: positionalsOf(command, values.positionals),
        options: optionsOf(command, values.options),
      }
    },
  }
}

/** Separates options before the command, the words of its name, and the rest. */
function split(args: readonly string[], { commands, groups }: CommandTable) {
  let at = 0
  while (args[at]?.startsWith('-') && args[at] !== '--') {
    const name = args[at]!.replace(/^--?/, '')
    const takesValue = (globalOptions as Options)[name]?.type === 'string'
    at += takesValue ? 2 : 1
  }
  const before = args.slice(0, at)
  const [first, second] = args.slice(at)
  if (first === undefined) return { before, words: [], rest: [] }
  const isNamed = (name: string) => commands.some((command) => command.name === name)
  if (second !== undefined && isNamed(`${first} ${second}`))
    return { before, words: [first, second], rest: args.slice(at + 2) }
  const hasGroup = Object.hasOwn(groups, first)
  const isWord = hasGroup && !isNamed(first) && second !== undefined && !second.startsWith('-')
  const length = isWord ? 2 : 1
  return { before, words: args.slice(at, at + length), rest: args.slice(at + length) }
}

function withoutCommand(
  before: readonly string[],
  words: readonly string[],
  rest: readonly string[],
  { commands, groups }: CommandTable,
): Parsed {
  const [first, second] = words
  const asksForHelp = [...before, ...rest].some((arg) => arg === '--help' || arg === '-h')
  if (first === undefined) {
    const wrong = before.find((arg) => arg.startsWith('-') && !isGlobal(arg))
    if (wrong !== undefined) throw usageError(`There is no option ${nameOf(wrong)}.`, 'See: pennypost help')
    return { kind: 'help', topic: '', isWrong: false }
  }
  if (second === undefined && Object.hasOwn(groups, first)) return { kind: 'help', topic: first, isWrong: !asksForHelp }
  const names = commands.map(({ name }) => name)
  // `push` is short for `post push`.
  const ends = names.filter((name) => name.split(' ')[1] === first)
  const close = second === undefined ? [...ends, ...suggestions(first, [...names, ...Object.keys(groups)])] : []
  const inGroup =
    second === undefined
      ? []
      : suggestions(
          second,
          names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1)),
        ).map((name) => `${first} ${name}`)
  throw usageError(
    `There is no command ${words.join(' ')}.`,
    ...didYouMean([...new Set([...close, ...inGroup])].slice(0, 3)),
    `See: pennypost help${second === undefined ? '' : ` ${first}`}`,
  )
}

const nameOf = (arg: string): string => arg.split('=')[0]!
const isGlobal = (arg: string): boolean => arg === '-h' || Object.hasOwn(globalOptions, nameOf(arg).replace(/^--/, ''))

function strictly(args: string[], command: Command) {
  const all: Options = { ...globalOptions, ...command.options }
  const config = Object.fromEntries(
    Object.entries(all).map(([name, { type, short, many }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(many && { multiple: true }) },
    ]),
  ) as NonNullable<ParseArgsConfig['options']>
  try {
    const { values, positionals } = parseArgs({ args, options: config, allowPositionals: true, strict: true })
    return { options: values as Record<string, unknown>, positionals }
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, args, all, command)
  }
}

function explained(error: NodeJS.ErrnoException, args: readonly string[], all: Options, { name }: Command) {
  const see = `See: pennypost help ${name}`
  const [, given] = /'(?:-\w, )?(--?[^' =,]+)/.exec(error.message) ?? []
  const option = given?.replace(/^--?/, '') ?? ''
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const close = suggestions(option, Object.keys(all)).map((each) => `--${each}`)
    return usageError(`pennypost ${name} has no option ${given}.`, ...didYouMean(close), see)
  }
  if (all[option]?.type === 'boolean') return usageError(`${given} takes no value.`, see)
  const value = all[option]?.value ?? 'VALUE'
  const isNegative = args.some((arg) => arg.startsWith('-')) && given !== undefined
  return usageError(isNegative ? `${given} needs a value: ${given} ${value}` : error.message.replace(/\s+/g, ' '), see)
}

function positionalsOf({ name, positionals }: Command, given: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  positionals.forEach((positional, index) => {
    const value = positional.many ? given.slice(index) : given[index]
    const isMissing = value === undefined || value.length === 0
    if (isMissing && !positional.optional)
      throw usageError(`${positional.name} is missing: ${positional.summary}.`, `See: pennypost help ${name}`)
    for (const each of [value ?? []].flat()) requireChoice(positional.name, each, positional.choices)
    found[positional.name] = value
  })
  const last = positionals.at(-1)
  if (!last?.many && given.length > positionals.length)
    throw usageError(
      positionals.length === 0
        ? `pennypost ${name} takes no arguments.`
        : `pennypost ${name} takes ${positionals.length} argument${positionals.length === 1 ? '' : 's'}, not ${given.length}.`,
      `See: pennypost help ${name}`,
    )
  return found
}

function optionsOf({ options }: Command, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, many, choices, default: otherwise }]) => {
      const value = given[name] ?? (type === 'boolean' ? false : many ? [] : otherwise)
      for (const each of typeof value === 'string' ? [value] : Array.isArray(value) ? (value as string[]) : [])
        requireChoice(`--${name}`, each, choices)
      return [name, value]
    }),
  )
}

function requireChoice(name: string, value: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(value)) return
  throw usageError(`${name} is one of ${choices.join(', ')}.`, ...didYouMean(suggestions(value, choices)))
}

/** Every process of this machine can read command lines, and shells keep them. The text is not repeated in the message. */
function refuseSecrets(args: readonly string[]): void {
  const isSecret = (arg: string) =>
    /svcpk_[a-z0-9]+_\w|svc(?:er|wr|cc)_\w{8}|^(?:--[\w-]+=)?(?:0x)?[0-9a-fA-F]{64}$/.test(arg)
  if (args.some(isSecret))
    throw usageError(
      'This looks like a key or a seed. Command lines can be read by other programs, so secrets are not accepted there.',
      'Put it into a file or an environment variable: pennypost help environment',
    )
}

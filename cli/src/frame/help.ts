import { usageError } from './cli-error.ts'
import { type Command, type CommandTable, globalOptions, type Options, type Positional } from './command.ts'
import { environment } from './environment.ts'
import { exitCodes } from './exit-codes.ts'
import { didYouMean, suggestions } from './suggest.ts'
import { bold, indented, type Line, table } from './text.ts'

/** Help pages that do not describe a command. */
export const topics: Readonly<Record<string, string>> = {
  'exit-codes': 'What the exit codes mean',
  environment: 'Environment variables, and where secrets come from',
}

/** Help as JSON and as lines: about everything, a group, a command or a topic. */
export function helpOn(topic: string, commandTable: CommandTable): { value: unknown; lines: Line[] } {
  const { commands, groups } = commandTable
  if (topic === '') return { value: { commands: commands.map(jsonOf) }, lines: overview(commandTable) }
  const command = commands.find(({ name }) => name === topic)
  if (command) return { value: jsonOf(command), lines: commandHelp(command) }
  const ofGroup = commands.filter(({ name }) => name.startsWith(`${topic} `))
  if (Object.hasOwn(groups, topic) && ofGroup.length > 0)
    return { value: { commands: ofGroup.map(jsonOf) }, lines: groupHelp(topic, groups[topic]!, ofGroup) }
  if (topic === 'exit-codes') return { value: { exitCodes }, lines: exitCodeHelp() }
  if (topic === 'environment') return { value: { environment }, lines: environmentHelp() }
  const names = [...commands.map(({ name }) => name), ...Object.keys(groups), ...Object.keys(topics)]
  throw usageError(`There is no help about ${topic}.`, ...didYouMean(suggestions(topic, names)))
}

const jsonOf = ({ name, summary, description, positionals, options, examples }: Command) => ({
  name,
  summary,
  ...(description !== '' && { description }),
  usage: usageOf({ name, positionals, options }),
  positionals,
  options,
  examples: examples.map(([line, explanation]) => ({ line, explanation })),
})

/** The line of a command: `pennypost post push FILE… [options]`. */
export function usageOf({ name, positionals, options }: Pick<Command, 'name' | 'positionals' | 'options'>): string {
  const words = positionals.map(positionalUsage)
  return ['pennypost', name, ...words, ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ')
}

function positionalUsage({ name, optional, many }: Positional): string {
  const word = many ? `${name}…` : name
  return optional ? `[${word}]` : word
}

export const optionUsage = (name: string, { short, type, value = 'VALUE' }: Options[string]): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${type === 'string' ? ` ${value}` : ''}`

function overview({ commands, groups }: CommandTable): Line[] {
  const seen = new Set<string>()
  const rows = commands.flatMap(({ name, summary }) => {
    const [first, second] = name.split(' ') as [string, string?]
    if (second === undefined) return [[first, summary]]
    if (seen.has(first)) return []
    seen.add(first)
    const words = commands.flatMap((each) => (each.name.startsWith(`${first} `) ? [each.name.split(' ')[1]] : []))
    return [[`${first} …`, `${groups[first]} (${words.join(', ')})`]]
  })
  return [
    'Publish, sell, read and buy posts, and run a Pennypost service.',
    '',
    [bold('Usage:'), ' pennypost COMMAND [options]'],
    '',
    bold('Commands'),
    ...indented(table(rows)),
    '',
    bold('Options of every command'),
    ...optionRows(globalOptions),
    '',
    'pennypost help COMMAND explains a command. Further pages: pennypost help exit-codes, pennypost help environment.',
  ]
}

const groupHelp = (group: string, summary: string, commands: readonly Command[]): Line[] => [
  summary,
  '',
  ...indented(table(commands.map((each) => [`pennypost ${each.name}`, each.summary]))),
  '',
  `pennypost help ${group} COMMAND explains one of them.`,
]

function commandHelp(command: Command): Line[] {
  const { summary, description, positionals, options, examples } = command
  const section = (title: string, lines: readonly Line[]): Line[] =>
    lines.length === 0 ? [] : ['', bold(title), ...lines]
  return [
    `${summary}.`,
    '',
    [bold('Usage:'), ` ${usageOf(command)}`],
    ...(description === '' ? [] : ['', description]),
    ...section(
      'Arguments',
      indented(table(positionals.map(({ name, summary: what, choices }) => [name, `${what}${choicesOf(choices)}`]))),
    ),
    ...section('Options', optionRows(options)),
    ...section('Options of every command', optionRows(globalOptions)),
    ...section(
      'Examples',
      examples.flatMap(([line, explanation]) => [`  ${line}`, `      ${explanation}`]),
    ),
  ]
}

const optionRows = (options: Options): Line[] =>
  indented(
    table(
      Object.entries(options).map(([name, option]) => {
        const { summary, choices, default: otherwise } = option
        return [optionUsage(name, option), `${summary}${choicesOf(choices)}${otherwise ? ` (${otherwise})` : ''}`]
      }),
    ),
  )

export const choicesOf = (choices: readonly string[] | undefined): string =>
  choices === undefined ? '' : `: ${choices.join(', ')}`

const exitCodeHelp = (): Line[] =>
  table(
    Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
    ['Code', 'Meaning'],
  )

const environmentHelp = (): Line[] => [
  ...table(Object.entries(environment), ['Variable', 'Meaning']),
  '',
  'Secrets are never options of a command, because other programs can read command lines. They come from these variables,',
  'from files, from standard input, or are asked for without being shown.',
]

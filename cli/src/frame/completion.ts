import { type Command, type CommandTable, globalOptions, type Option } from './command.ts'
import { topics } from './help.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

/** A script that completes command lines in a shell. It has the whole table in it, so nothing is started for each key. */
export function completionScript(shell: (typeof shells)[number], table: CommandTable): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](table)
}

/** Options of every command that take a value. They may stand before the command. */
const valued = Object.entries(globalOptions).flatMap(([name, { type }]) => (type === 'string' ? [name] : []))

const firstWords = ({ commands }: CommandTable): string[] => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0]!)),
]
const secondWords = ({ commands }: CommandTable, first: string): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.split(' ')[1]!] : []))
const optionsOf = ({ options }: Command): [string, Option][] => Object.entries({ ...options, ...globalOptions })
const isPath = ({ value }: Option): boolean => value === 'FILE' || value === 'FOLDER'
const takesPath = ({ positionals }: Command): boolean => positionals.some(({ isPath }) => isPath)

/** Words that the command takes as its first argument. */
function argumentWords(command: Command, table: CommandTable): readonly string[] {
  if (command.name === 'help') return [...firstWords(table), ...Object.keys(topics)]
  return command.positionals[0]?.choices ?? []
}

function bashScript(table: CommandTable): string {
  const { commands } = table
  const cases = commands.map((command) => {
    const values = optionsOf(command).flatMap(([name, option]) => {
      if (option.type === 'boolean') return []
      const action = option.choices
        ? `COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$current"))`
        : isPath(option)
          ? 'COMPREPLY=($(compgen -f -- "$current"))'
          : 'COMPREPLY=()'
      return [`        --${name}) ${action}; return ;;`]
    })
    const words = [...optionsOf(command).map(([name]) => `--${name}`), ...argumentWords(command, table)]
    return [
      `    '${command.name}')`,
      ...(values.length > 0 ? ['      case "$previous" in', ...values, '      esac'] : []),
      `      COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`,
      ...(takesPath(command) ? ['      COMPREPLY+=($(compgen -f -- "$current"))'] : []),
      '      ;;',
    ].join('\n')
  })
  const groups = firstWords(table).flatMap((first) => {
    const words = secondWords(table, first)
    return words.length === 0
      ? []
      : [`    '${first}') COMPREPLY=($(compgen -W '${words.join(' ')} --help' -- "$current")) ;;`]
  })
  return `# Completion of pennypost for bash. Install: pennypost completion bash > ~/.local/share/bash-completion/completions/pennypost
_pennypost() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" first="" name="" word
  local index=1
  COMPREPLY=()
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[index]}"
    case "$word" in
      ${valued.map((name) => `--${name}`).join('|')}) index=$((index + 1)) ;;
      -*) ;;
      *)
        if [ -z "$first" ]; then
          first="$word"
          name="$word"
        elif [ "$name" = "$first" ]; then
          case "$first" in
            ${
              firstWords(table)
                .filter((first) => secondWords(table, first).length > 0)
                .join('|') || "''"
            }) name="$first $word" ;;
          esac
        fi
        ;;
    esac
    index=$((index + 1))
  done
  case "$name" in
    '') COMPREPLY=($(compgen -W '${[...firstWords(table), ...Object.keys(globalOptions).map((name) => `--${name}`), '--version'].join(' ')}' -- "$current")) ;;
${[...groups, ...cases].join('\n')}
  esac
}
complete -o filenames -F _pennypost pennypost
`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** In zsh's descriptions a colon and brackets have a meaning. */
const zshText = (text: string): string => text.replaceAll(/[:[\]\\]/g, '\\$&')

function zshScript(table: CommandTable): string {
  const { commands, groups } = table
  const optionLine = ([name, option]: [string, Option]): string => {
    const tail = option.choices
      ? `:value:(${option.choices.join(' ')})`
      : isPath(option)
        ? ':file:_files'
        : `:${zshText(option.value ?? 'value')}: `
    return quoted(
      `${option.many ? '*' : ''}--${name}[${zshText(option.summary)}]${option.type === 'string' ? tail : ''}`,
    )
  }
  const cases = commands.map((command) => {
    const words = argumentWords(command, table)
    const places = command.positionals.map(({ isPath, many }, index) => {
      const action = index === 0 && words.length > 0 ? `(${words.join(' ')})` : isPath ? '_files' : ' '
      return `'${many ? '*' : index + 1}:argument:${action}'`
    })
    return `    ${quoted(command.name)}) _arguments -S ${[...optionsOf(command).map(optionLine), ...places].join(' ')} ;;`
  })
  const described = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, summary]) => quoted(`${name}:${zshText(summary)}`)).join(' ')
  const first = firstWords(table).map(
    (word) => [word, groups[word] ?? commands.find(({ name }) => name === word)?.summary ?? ''] as const,
  )
  const grouped = firstWords(table).filter((word) => secondWords(table, word).length > 0)
  const groupCases = grouped.map((word) => {
    const entries = commands.flatMap(({ name, summary }) =>
      name.startsWith(`${word} `) ? [[name.split(' ')[1]!, summary] as const] : [],
    )
    return `    ${quoted(word)}) local -a list; list=(${described(entries)}); _describe command list ;;`
  })
  return `#compdef pennypost
# Completion of pennypost for zsh. Install: pennypost completion zsh > "\${fpath[1]}/_pennypost"
_pennypost() {
  local name=""
  local -i at=2
  while (( at < CURRENT )); do
    case "$words[at]" in
      ${valued.map((name) => `--${name}`).join('|')}) (( at += 2 )) ;;
      -*) (( at += 1 )) ;;
      *) break ;;
    esac
  done
  if (( CURRENT > at )); then
    name="$words[at]"
    case "$name" in
      ${grouped.join('|') || "''"}) if (( CURRENT > at + 1 )); then (( at += 1 )); name="$name $words[at]"; fi ;;
    esac
    words=("\${(@)words[at,-1]}")
    (( CURRENT -= at - 1 ))
  fi
  case "$name" in
    '')
      if [[ "$words[CURRENT]" == -* || "$at" -gt "$CURRENT" ]]; then
        _arguments -S ${[...Object.entries(globalOptions).map(optionLine), "'--version[Show the version]'"].join(' ')}
      else
        local -a list; list=(${described(first)}); _describe command list
      fi ;;
${[...groupCases, ...cases].join('\n')}
  esac
}
if [ "$funcstack[1]" = "_pennypost" ]; then _pennypost "$@"; else compdef _pennypost pennypost; fi
`
}

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fishScript(table: CommandTable): string {
  const { commands, groups } = table
  const lines = [
    '# Completion of pennypost for fish. Install: pennypost completion fish > ~/.config/fish/completions/pennypost.fish',
    'complete -c pennypost -f',
    // The words before the one that is typed, without the program and options that may stand before a command.
    'function __pennypost_words',
    '  set -l tokens (commandline -opc)',
    '  set -e tokens[1]',
    '  set -l is_value 0',
    '  for token in $tokens',
    '    if test $is_value = 1',
    '      set is_value 0',
    '      continue',
    '    end',
    '    switch $token',
    `      case ${valued.map((name) => `--${name}`).join(' ')}`,
    '        set is_value 1',
    "      case '-*'",
    "      case '*'",
    '        echo $token',
    '    end',
    '  end',
    'end',
    'function __pennypost_is',
    '  set -l words (__pennypost_words)',
    '  set -l length (count $argv)',
    '  test (count $words) -ge $length; and test "$words[1..$length]" = "$argv"',
    'end',
    'function __pennypost_needs',
    '  set -l words (__pennypost_words)',
    '  test (count $words) -eq (count $argv); and test "$words" = "$argv"',
    'end',
  ]
  for (const first of firstWords(table)) {
    const summary = groups[first] ?? commands.find(({ name }) => name === first)?.summary ?? ''
    lines.push(`complete -c pennypost -n __pennypost_needs -a ${first} -d ${fishText(summary)}`)
  }
  for (const [name, { type, summary }] of Object.entries(globalOptions))
    lines.push(
      `complete -c pennypost -n __pennypost_needs -l ${name}${type === 'string' ? ' -x' : ''} -d ${fishText(summary)}`,
    )
  for (const command of commands) {
    const [first, second] = command.name.split(' ') as [string, string?]
    if (second !== undefined)
      lines.push(`complete -c pennypost -n '__pennypost_needs ${first}' -a ${second} -d ${fishText(command.summary)}`)
    const when = `-n '__pennypost_is ${command.name}'`
    for (const [name, option] of optionsOf(command)) {
      const value =
        option.type === 'boolean'
          ? ''
          : option.choices
            ? ` -x -a ${fishText(option.choices.join(' '))}`
            : isPath(option)
              ? ' -r -F'
              : ' -x'
      lines.push(`complete -c pennypost ${when} -l ${name}${value} -d ${fishText(option.summary)}`)
    }
    const words = argumentWords(command, table)
    if (words.length > 0) lines.push(`complete -c pennypost ${when} -a ${fishText(words.join(' '))}`)
    if (takesPath(command)) lines.push(`complete -c pennypost ${when} -F`)
  }
  return `${lines.join('\n')}\n`
}

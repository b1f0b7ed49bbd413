import { type CommandTable, globalOptions, type Options } from './command.ts'
import { environment } from './environment.ts'
import { exitCodes } from './exit-codes.ts'
import { choicesOf, optionUsage, usageOf } from './help.ts'

/** The part of docs/cli.md that is made of the table. A test compares them. */
export function referencePage({ commands }: CommandTable): string {
  return [
    '## Commands',
    '',
    'Every command takes these options:',
    '',
    ...optionTable(globalOptions),
    '',
    ...commands.flatMap(({ name, summary, description, positionals, options, examples }) => [
      `### ${name}`,
      '',
      `${summary}.`,
      '',
      '```',
      usageOf({ name, positionals, options }),
      '```',
      '',
      ...(description === '' ? [] : [description, '']),
      ...(positionals.length === 0
        ? []
        : [
            '| Argument | What it is |',
            '|---|---|',
            ...positionals.map(
              (each) => `| \`${each.name}\` | ${cell(each.summary)}${cell(choicesOf(each.choices))} |`,
            ),
            '',
          ]),
      ...(Object.keys(options).length === 0 ? [] : [...optionTable(options), '']),
      ...examples.flatMap(([line, explanation]) => [`- \`${line}\`: ${explanation}`]),
      ...(examples.length > 0 ? [''] : []),
    ]),
    '## Exit codes',
    '',
    '| Code | Meaning |',
    '|---|---|',
    ...Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${cell(meaning)} |`),
    '',
    '## Environment variables',
    '',
    '| Variable | Meaning |',
    '|---|---|',
    ...Object.entries(environment).map(([name, meaning]) => `| \`${name}\` | ${cell(meaning)} |`),
    '',
  ].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

const optionTable = (options: Options): string[] => [
  '| Option | What it does |',
  '|---|---|',
  ...Object.entries(options).map(([name, option]) => {
    const otherwise = option.default === undefined ? '' : ` (\`${option.default}\`)`
    return `| \`${optionUsage(name, option)}\` | ${cell(option.summary)}${cell(choicesOf(option.choices))}${otherwise} |`
  }),
]

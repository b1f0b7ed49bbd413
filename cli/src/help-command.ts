import { command } from './frame/command.ts'
import { completionScript, shells } from './frame/completion.ts'
import { helpOn } from './frame/help.ts'

export const help = command({
  name: 'help',
  summary: 'Explain a command, or a topic such as exit-codes',
  positionals: [{ name: 'COMMAND', summary: 'a command such as post push, or a topic', optional: true, many: true }],
  examples: [['pennypost help post push', 'explains one command']],
  async run({ args: { COMMAND } }, { output, table }) {
    const { value, lines } = helpOn(COMMAND.join(' '), table)
    output.result(value, lines)
  },
})

export const completion = command({
  name: 'completion',
  summary: 'Print a completion script for your shell',
  positionals: [{ name: 'SHELL', summary: 'your shell', choices: shells }],
  examples: [['source <(pennypost completion bash)', 'completes commands in this terminal']],
  async run({ args: { SHELL } }, { output, table }) {
    const script = completionScript(SHELL as (typeof shells)[number], table)
    output.result({ shell: SHELL, script }, [script.trimEnd()])
  },
})

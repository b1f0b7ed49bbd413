import { failureOf } from './cli-error.ts'
import type { CommandTable, Shell } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { helpOn } from './help.ts'
import { Output, type OutputStream } from './output.ts'
import { readCommandLine } from './parse-command-line.ts'

export interface Surroundings extends Pick<Shell, 'env' | 'cwd' | 'input' | 'signal' | 'version'> {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** Runs one command line and returns the exit code. */
export async function runCommandLine(
  args: readonly string[],
  table: CommandTable,
  { stdout, stderr, ...surroundings }: Surroundings,
): Promise<number> {
  const line = readCommandLine(args, table)
  const { env, signal, version } = surroundings
  const output = new Output({ stdout, stderr, env, isJson: line.global.json === true })
  try {
    const parsed = line.parse()
    if (parsed.kind === 'version') output.result({ version }, [`pennypost ${version}`])
    else if (parsed.kind === 'help') {
      const { value, lines } = helpOn(parsed.topic, table)
      if (!parsed.isWrong) output.result(value, lines)
      else new Output({ stdout: stderr, stderr, env, isJson: output.isJson }).result(value, lines)
      return parsed.isWrong ? exitCodes.usage.code : 0
    } else {
      const { command, args: given, options } = parsed
      const prompt = (question: string) => void stderr.write(question)
      await command.run({ args: given, options }, { ...surroundings, output, global: line.global, table, prompt })
    }
    return 0
  } catch (error) {
    const failure = failureOf(error, signal)
    output.failure(failure)
    if (env.PENNYPOST_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`)
    return failure.exitCode
  }
}

import type { Cli, CliResult, RunningCli } from './cli.fixture.ts'

/** Runs the program on a real terminal, which `script` of util-linux makes. What it shows is `stdout`. */
export const onTerminal = (
  cli: Cli,
  args: readonly string[],
  meanwhile: (running: RunningCli) => Promise<void>,
): Promise<CliResult> => {
  const line = [process.execPath, ...args].map((word) => `'${word}'`).join(' ')
  return cli(['-qefc', line, '/dev/null'], { program: 'script', meanwhile })
}

import { readFileSync } from 'node:fs'
import { commandTable } from './commands.ts'
import { exitCodes } from './frame/exit-codes.ts'
import { runCommandLine } from './frame/run-command-line.ts'

// The program itself: the only file that uses `process`.

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // A second Ctrl-C ends the program without waiting.
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted.code)
    interruption.abort(new Error('Interrupted.'))
  })

// `pennypost search … | head` closes the pipe when it has enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const exitCode = await runCommandLine(process.argv.slice(2), commandTable, {
  env: process.env,
  cwd: process.cwd(),
  input: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interruption.signal,
  version,
})
process.exitCode = exitCode
// Keep-alive connections and an open stdin must not keep the process running.
process.stdin.unref?.()
await new Promise((resolve) => process.stdout.write('', resolve))
await new Promise((resolve) => process.stderr.write('', resolve))
process.exit(exitCode)

import { equal, match } from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { runCommandLine } from '../frame/run-command-line.ts'
import { recover } from './backup.ts'

test('what is only listed is not acknowledged', async () => {
  const stderr: string[] = []
  const exitCode = await runCommandLine(
    ['recover', '--dry-run', '--acknowledge'],
    { commands: [recover], groups: {} },
    {
      env: {},
      cwd: '/',
      input: Readable.from([]),
      stdout: { write: () => true },
      stderr: { write: (text: string) => stderr.push(text) },
      signal: new AbortController().signal,
      version: '1.2.3',
    },
  )
  equal(exitCode, 2)
  match(stderr.join(''), /Give --dry-run or --acknowledge, not both\./)
})

import { readFile, stat } from 'node:fs/promises'
import { ask } from '../frame/ask.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { pathOf } from '../frame/path-of.ts'
import { styled } from '../frame/text.ts'

const maxSecretBytes = 10_000

/**
 * Reads a secret from a file, or from standard input if the file is `-`: on a terminal it asks without showing what is
 * typed. Warns if others can read the file.
 */
export async function readSecretFile(shell: Shell, file: string, what: string): Promise<string> {
  const text = file === '-' ? await readInput(shell) : await readPrivate(shell, pathOf(shell, file), what)
  const secret = text.trim()
  if (secret === '') throw new CliError('failed', 'empty-secret', `${what}: ${file} is empty.`)
  return secret
}

async function readPrivate({ output }: Shell, path: string, what: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new CliError('failed', 'no-such-file', `${what}: there is no file ${path}.`)
  if (found.size > maxSecretBytes) throw new CliError('failed', 'not-a-secret', `${what}: ${path} is too long.`)
  if ((found.mode & 0o077) !== 0 && process.platform !== 'win32')
    output.note([styled('yellow', 'Warning: '), `others can read ${path}. Run: chmod 600 ${path}`])
  return readFile(path, 'utf8')
}

async function readInput(shell: Shell): Promise<string> {
  const { input, signal } = shell
  if (input.isTTY === true) return ask(shell, 'Paste it here; it is not shown: ', { isHidden: true })
  let text = ''
  input.setEncoding('utf8')
  for await (const piece of input) {
    signal.throwIfAborted()
    text += piece as string
    if (text.length > maxSecretBytes) throw new CliError('failed', 'not-a-secret', 'Standard input is too long.')
  }
  return text
}

import { CliError } from './cli-error.ts'
import type { Shell } from './command.ts'
import { printable } from './printable.ts'

const maxAnswerCharacters = 10_000

/**
 * Asks a person one question, on stderr, and returns the line that was typed or piped. `isHidden` shows nothing of what is
 * typed.
 */
export async function ask(shell: Shell, question: string, { isHidden = false } = {}): Promise<string> {
  const { input, signal } = shell
  if (input.isTTY === true) shell.prompt(printable(question))
  const raw = isHidden && input.isTTY === true && input.setRawMode !== undefined
  if (raw) input.setRawMode!(true)
  try {
    return (await readLine(shell, raw)).trim()
  } finally {
    if (raw) {
      input.setRawMode!(false)
      shell.prompt('\n')
    }
    input.pause()
    signal.throwIfAborted()
  }
}

/** Reads up to the end of the line, and leaves the rest for the next question. */
function readLine({ input, signal }: Shell, isRaw: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = ''
    const finish = (act: () => void) => {
      input.off('data', onData).off('end', onEnd).off('error', reject)
      signal.removeEventListener('abort', onAbort)
      act()
    }
    const onAbort = () => finish(() => reject(signal.reason))
    const onEnd = () =>
      finish(() => {
        if (line === '') reject(new CliError('usage', 'no-answer', 'An answer was expected on standard input.'))
        else resolve(line)
      })
    const onData = (piece: Buffer | string) => {
      const text = String(piece)
      for (const [index, letter] of [...text].entries()) {
        if (letter === '\n' || letter === '\r') {
          const rest = [...text].slice(index + 1).join('')
          return finish(() => {
            input.pause()
            if (rest !== '') input.unshift(rest)
            resolve(line)
          })
        }
        // In raw mode the terminal leaves these keys to us.
        if (isRaw && letter === '\u0003')
          return finish(() => reject(new CliError('interrupted', 'interrupted', 'Interrupted.')))
        if (isRaw && letter === '\u0004') return onEnd()
        if (isRaw && (letter === '\u007f' || letter === '\b')) line = line.slice(0, -1)
        else line += letter
        if (line.length > maxAnswerCharacters)
          return finish(() => reject(new CliError('usage', 'no-answer', 'The answer is too long.')))
      }
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    input.on('data', onData).on('end', onEnd).on('error', reject)
    if (input.readableEnded) onEnd()
    else input.resume()
  })
}

/** Asks for confirmation. Without a terminal it is declined, unless `--yes` was given. */
export async function confirm(shell: Shell, question: string): Promise<boolean> {
  if (shell.input.isTTY !== true) return false
  return /^y(es)?$/i.test(await ask(shell, `${question} [y/N] `))
}

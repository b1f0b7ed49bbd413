import { PennypostError } from '@pennypost/sdk'
import { ask } from '../frame/ask.ts'
import { type CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'

const tries = 3

/**
 * Asks for the code in an email and uses it. A person who mistypes it is asked again, because the next email can be sent
 * only a minute later. A program has one try.
 */
export async function withCode<Result>(shell: Shell, use: (code: string) => Promise<Result>): Promise<Result> {
  for (let left = shell.input.isTTY === true ? tries : 1; ; left -= 1) {
    const code = (await ask(shell, 'Code: ')).replaceAll(/\s/g, '')
    const wrong = /^\d{6}$/.test(code) ? await use(code).then(done, whyWrong) : usageError('The code has six digits.')
    if ('result' in wrong) return wrong.result
    if (left <= 1) throw wrong
    shell.output.note(wrong instanceof PennypostError ? wrong.detail : wrong.message)
  }
}

const done = <Result>(result: Result): { readonly result: Result } => ({ result })

/** The error of a wrong code. Any other one is thrown. */
function whyWrong(error: unknown): PennypostError | CliError {
  if (error instanceof PennypostError && error.code === 'invalid-verification') return error
  throw error
}

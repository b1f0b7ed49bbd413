import type { Failure } from './cli-error.ts'
import { printableJson } from './printable.ts'
import { type Bar, noBar, terminalBar } from './progress.ts'
import { type Line, renderLine, styled } from './text.ts'

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface OutputOptions {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isJson: boolean
}

/**
 * Where a command prints. Results go to stdout: one JSON document, or lines for people. Everything else, such as notes,
 * progress and errors, goes to stderr, so a pipe gets the result alone.
 */
export class Output {
  readonly isJson: boolean
  readonly #stdout: OutputStream
  readonly #stderr: OutputStream
  readonly #env: OutputOptions['env']

  constructor({ stdout, stderr, env, isJson }: OutputOptions) {
    this.isJson = isJson
    this.#stdout = stdout
    this.#stderr = stderr
    this.#env = env
  }

  /** Prints the result of a command. Call it once: with `--json` it is the whole document. */
  result(value: unknown, lines: readonly Line[]): void {
    if (this.isJson) this.#stdout.write(`${printableJson(value, 2)}\n`)
    else this.#lines(lines)
  }

  /** Prints one item of a stream: with `--json` one line each. */
  item(value: unknown, lines: readonly Line[]): void {
    if (this.isJson) this.#stdout.write(`${printableJson(value)}\n`)
    else this.#lines(lines)
  }

  /** Says something to the person at the terminal, such as a question's context. Programs do not get it. */
  note(...lines: Line[]): void {
    if (this.isJson) return
    for (const line of lines) this.#stderr.write(`${renderLine(line, this.#hasColour(this.#stderr))}\n`)
  }

  /** A progress bar, on a terminal only. */
  progress(label: string): Bar {
    return this.isJson || this.#stderr.isTTY !== true ? noBar : terminalBar(this.#stderr, label)
  }

  failure({ code, message, hints, exitCode, details }: Failure): void {
    if (this.isJson) {
      const error = { code, message, exitCode, ...(hints.length > 0 && { hints }), ...details }
      this.#stderr.write(`${printableJson({ error })}\n`)
      return
    }
    const colour = this.#hasColour(this.#stderr)
    this.#stderr.write(`${renderLine([styled('red', 'Error: '), message], colour)}\n`)
    for (const hint of hints) this.#stderr.write(`${renderLine(`  ${hint}`, colour)}\n`)
  }

  /** How wide the terminal is. What is piped is not cut. */
  get columns(): number {
    return this.#stdout.isTTY === true ? (this.#stdout.columns ?? 80) : Number.POSITIVE_INFINITY
  }

  #lines(lines: readonly Line[]): void {
    const colour = this.#hasColour(this.#stdout)
    for (const line of lines) this.#stdout.write(`${renderLine(line, colour)}\n`)
  }

  #hasColour(stream: OutputStream): boolean {
    return stream.isTTY === true && !this.#env.NO_COLOR && this.#env.TERM !== 'dumb'
  }
}

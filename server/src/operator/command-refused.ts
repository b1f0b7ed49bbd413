/** A command of the operator that cannot be done. The message is a sentence for the operator. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
  /** Lines of advice. */
  readonly hints: readonly string[]

  constructor(message: string, ...hints: readonly string[]) {
    super(message)
    this.hints = hints
  }
}

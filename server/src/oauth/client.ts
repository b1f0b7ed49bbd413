/** A program that asks for access. All of it is what the program says about itself, except for `host`. */
export interface Client {
  readonly id: string
  /** May be anything, even someone else's name. */
  readonly name: string | null
  /** The host that serves the program's description. Null if the program registered itself. */
  readonly host: string | null
  readonly redirectUris: readonly string[]
}

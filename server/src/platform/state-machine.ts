/** A table of moves is a state machine: each move names the states it may start from and the one it ends in. */
export type Moves<State extends string> = Readonly<
  Record<string, { readonly from: readonly State[]; readonly to: State }>
>

/**
 * @example
 * export const registrationMoves = moves<RegistrationState>()({
 *   verify: { from: ['started'], to: 'verified' },
 * })
 */
export const moves =
  <State extends string>() =>
  <const M extends Moves<State>>(table: M): M =>
    table

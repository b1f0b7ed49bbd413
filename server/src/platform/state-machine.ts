/** A state machine as a table of moves: each move names the states it can start from and the state it ends in. */
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

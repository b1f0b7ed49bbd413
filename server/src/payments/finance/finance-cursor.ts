import type { Secrets } from '../../platform/secrets.ts'
import { signText, verifySignedText } from '../../platform/signed-text.ts'
import type { LineQuery } from './finance-list-store.ts'

/** Whose lines are read, and which of them. A cursor is valid for these only. */
export interface Scope {
  readonly list: 'transactions' | 'earnings' | 'payouts'
  readonly lines: LineQuery
}

/** Where a page ended, in the list as it was when its first page was read. */
export interface FinancePosition {
  readonly asOf: Date
  /** The account's last line at that time. */
  readonly lastPosition: string
  /** The last line shown: the next page continues before it. */
  readonly position: string
}

const purpose = 'finance-cursor'

const textOf = ({ list, lines: { accountId, directions, assets, owed } }: Scope): string =>
  [list, accountId, ...directions, ...assets, owed ?? ''].join(' ')

export const writeCursor = (
  secrets: Secrets,
  scope: Scope,
  { asOf, lastPosition, position }: FinancePosition,
): string => signText(secrets, purpose, `${asOf.getTime()} ${lastPosition} ${position} ${textOf(scope)}`)

/** Returns undefined if we did not issue it, or it belongs to another list. */
export function readCursor(secrets: Secrets, scope: Scope, cursor: string): FinancePosition | undefined {
  const [asOf, lastPosition, position, ...rest] = verifySignedText(secrets, purpose, cursor)?.split(' ') ?? []
  if (rest.join(' ') !== textOf(scope)) return undefined
  return { asOf: new Date(Number(asOf)), lastPosition: lastPosition!, position: position! }
}

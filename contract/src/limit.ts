/**
 * A rate limit: at most `max` requests in any `seconds`, counted per IP address or account. The counter belongs to the
 * name, so endpoints that list the same limit share its budget. Messages to a person are counted per recipient.
 */
export interface Limit {
  readonly name: string
  readonly per: 'ip' | 'account' | 'account-or-ip' | 'recipient' | 'recipient-and-sender'
  readonly max: number
  readonly seconds: number
  /** How many times the usual figure `max` is, for a limit that is counted for a larger group as well. */
  readonly times?: number
}

export const limit = (name: string, rule: Omit<Limit, 'name'>): Limit => ({ name, ...rule })

/**
 * Two limits for the same requests, one per account and one per IP address. The second stops someone with many accounts,
 * so it must be wide enough for a classroom behind one address. The account is counted first: requests beyond its limit
 * do not use up the budget of its neighbours.
 */
export const limitsByAccountAndAddress = (
  name: string,
  { account, address, seconds }: { readonly account: number; readonly address: number; readonly seconds: number },
) =>
  [
    limit(name, { per: 'account-or-ip', max: account, seconds }),
    limit(`${name}-by-address`, { per: 'ip', max: address, seconds }),
  ] as const

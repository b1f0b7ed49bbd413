/**
 * A rate limit: at most `max` requests in any `seconds`, counted per IP address or account. The counter belongs to the
 * name, so endpoints that list the same limit share its budget.
 */
export interface Limit {
  readonly name: string
  readonly per: 'ip' | 'account' | 'account-or-ip'
  readonly max: number
  readonly seconds: number
}

export const limit = (name: string, rule: Omit<Limit, 'name'>): Limit => ({ name, ...rule })

/**
 * At most `max` requests in any `seconds`, counted for each address or account. Endpoints that share a budget share the
 * value: the counter is named, not owned by a route.
 */
export interface Limit {
  readonly name: string
  readonly per: 'ip' | 'account' | 'account-or-ip'
  readonly max: number
  readonly seconds: number
}

export const limit = (name: string, rule: Omit<Limit, 'name'>): Limit => ({ name, ...rule })

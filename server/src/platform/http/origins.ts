/** Our own origins. URLs in a reply use the origin that the request was sent to, if it is one of them, and never another. */
export interface Origins {
  readonly base: string
  /** Whether all of them use HTTPS. */
  readonly isSecure: boolean
  of(host: string | undefined): string
  /** Our origins without this one. All of them serve the same routes. */
  others(origin: string): readonly string[]
  /** Whether an `Origin` header names one of our own origins. */
  isTrusted(origin: string | undefined): boolean
  /** Called when the port is known, if no base URL is configured. */
  setBase(base: string): void
}

export function createOrigins(base: string, alternate: string | undefined): Origins {
  let current = base
  let byHost = originsByHost(base, alternate)
  return {
    get base() {
      return current
    },
    get isSecure() {
      return [...byHost.values()].every((origin) => origin.startsWith('https://'))
    },
    of: (host) => byHost.get(host ?? '') ?? current,
    others: (origin) => [...byHost.values()].filter((other) => other !== origin),
    isTrusted: (origin) => origin !== undefined && [...byHost.values()].includes(origin),
    setBase(moved) {
      current = moved
      byHost = originsByHost(moved, alternate)
    },
  }
}

const originsByHost = (base: string, alternate: string | undefined) =>
  new Map([base, ...(alternate ? [alternate] : [])].map((origin) => [new URL(origin).host, origin]))

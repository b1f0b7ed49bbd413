/** The trusted origins. A URL in a reply begins with the one the request came in on, never with what a client made up. */
export interface Origins {
  readonly base: string
  of(host: string | undefined): string
  /** Whether a request says that it was sent by a page of ours. */
  isTrusted(origin: string | undefined): boolean
  /** Once the port is known, where no base address is configured. */
  setBase(base: string): void
}

export function createOrigins(base: string, alternate: string | undefined): Origins {
  let current = base
  let byHost = originsByHost(base, alternate)
  return {
    get base() {
      return current
    },
    of: (host) => byHost.get(host ?? '') ?? current,
    isTrusted: (origin) => origin !== undefined && [...byHost.values()].includes(origin),
    setBase(moved) {
      current = moved
      byHost = originsByHost(moved, alternate)
    },
  }
}

const originsByHost = (base: string, alternate: string | undefined) =>
  new Map([base, ...(alternate ? [alternate] : [])].map((origin) => [new URL(origin).host, origin]))

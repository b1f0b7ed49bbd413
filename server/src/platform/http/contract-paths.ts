import type { Endpoint } from '@pennypost/contract/endpoint'

/** One address of the contract, with what may be done there. */
export interface ContractPath {
  readonly path: string
  readonly methods: ReadonlySet<string>
  /** As in the header of that name. */
  readonly allow: string
  /** Whichever: they speak the same family of errors. */
  readonly endpoint: Endpoint
}

export function contractPaths(endpoints: readonly Endpoint[]): ContractPath[] {
  const byPath = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint])
  return [...byPath].map(([path, there]) => {
    const methods = new Set<string>(there.map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return { path, methods, allow: [...methods, 'OPTIONS'].join(', '), endpoint: there[0]! }
  })
}

/** Finds the address of a request by hand: for methods that the router does not know, and nobody sends in earnest. */
export function contractPathFinder(addresses: readonly ContractPath[]): (url: string) => ContractPath | undefined {
  // What says more about itself goes first: `/posts/{id}.md` before `/posts/{id}`.
  const literal = ({ path }: ContractPath) => path.replaceAll(/\{\w+\}/g, '').length
  const known = [...addresses]
    .sort((one, other) => literal(other) - literal(one))
    .map((address) => ({ address, pattern: patternOf(address.path) }))
  return (url) => {
    const path = url.split(/[?#]/, 1)[0]!
    return known.find(({ pattern }) => pattern.test(path))?.address
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{\w+\}/)
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}$`,
  )

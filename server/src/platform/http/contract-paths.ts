import type { Endpoint } from '@pennypost/contract/endpoint'

/** A path of the contract and the methods it supports. */
export interface ContractPath {
  readonly path: string
  readonly pattern: RegExp
  readonly methods: ReadonlySet<string>
  /** The value of the `Allow` header. */
  readonly allow: string
  /** Any endpoint of this path: all of them use the same error format. */
  readonly endpoint: Endpoint
}

export function contractPaths(endpoints: readonly Endpoint[]): ContractPath[] {
  const byPath = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint])
  return [...byPath].map(([path, found]) => {
    const methods = new Set<string>(found.map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return { path, pattern: patternOf(path), methods, allow: [...methods, 'OPTIONS'].join(', '), endpoint: found[0]! }
  })
}

/** Finds the path of a URL, whatever the request's method. */
export function contractPathFinder(paths: readonly ContractPath[]): (url: string) => ContractPath | undefined {
  // The more specific path first: `/items/{id}.md` before `/items/{id}`.
  const literal = ({ path }: ContractPath) => path.replaceAll(/\{\w+\}/g, '').length
  const known = paths.toSorted((one, other) => literal(other) - literal(one))
  return (url) => {
    const path = decode(url.split(/[?#]/, 1)[0]!)
    return path === undefined ? undefined : known.find(({ pattern }) => pattern.test(path))
  }
}

/** Decodes like the router, so that `/%61pi` is `/api` here too. */
function decode(path: string): string | undefined {
  try {
    return decodeURI(path)
  } catch {
    return undefined
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{\w+\}/)
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}$`,
  )

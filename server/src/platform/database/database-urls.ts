// Apart from the driver, so that settings can be read without it.

/**
 * The URL of each host that a database URL names.
 * @example urlsOf('postgresql://a@one,two:5433/db') // ['postgresql://a@one/db', 'postgresql://a@two:5433/db']
 */
export function urlsOf(url: string): string[] {
  const [, start, hosts, rest] = /^([a-z]+:\/\/(?:[^/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${start}${host}${rest}`)
}

import { lookup as resolveName } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** An image cannot be fetched. The message is for people. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
}

export interface FetchOptions {
  readonly maxBytes: number
  readonly timeoutMs?: number
  /** For tests, and for an old site on the same machine. */
  readonly allowPrivate?: boolean
}

const maxRedirects = 5
const accepted = 'image/png,image/jpeg,image/webp,image/gif;q=0.9,*/*;q=0.1'

/**
 * Fetches a file of the old site. The addresses come out of an archive that anyone may have made: those of the machine
 * itself or its network are refused, because what is fetched is published.
 */
export async function fetchFile(address: string, options: FetchOptions): Promise<Uint8Array> {
  let url = new URL(address)
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const result = await fetchOnce(url, options)
    if (!('location' in result)) return result
    if (!URL.canParse(result.location, url.href)) throw new FetchError('It redirects without naming an address.')
    url = new URL(result.location, url)
  }
  throw new FetchError('It redirects too often.')
}

function fetchOnce(url: URL, options: FetchOptions): Promise<Uint8Array | { location: string }> {
  const { maxBytes, timeoutMs = 30_000, allowPrivate = false } = options
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchError('It is not a web address.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(host) !== 0 && isPrivate(host)) throw new FetchError('It is on a private network.')
  return new Promise((resolve, reject) => {
    const fail = (message: string) => {
      clearTimeout(timer)
      reject(new FetchError(message))
      sent.destroy()
    }
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(
      url,
      {
        headers: { accept: accepted, 'user-agent': 'Pennypost importer' },
        ...(!allowPrivate && { lookup: publicLookup }),
        // Every redirect is a new host, and one that keeps connections open should not keep the importer open.
        agent: false,
      },
      (response) => receive(response),
    )
    const timer = setTimeout(() => fail('It takes too long.'), timeoutMs)
    sent.on('error', (error) =>
      fail(
        error instanceof FetchError
          ? error.message
          : `It cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'error'}).`,
      ),
    )
    const receive = (response: IncomingMessage) => {
      const { statusCode = 0, headers } = response
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        clearTimeout(timer)
        response.destroy()
        return resolve({ location: headers.location })
      }
      if (statusCode !== 200) return fail(`The old site says ${statusCode}.`)
      const parts: Buffer[] = []
      let length = 0
      response.on('data', (part: Buffer) => {
        length += part.length
        if (length > maxBytes) return fail(`It is larger than ${maxBytes} bytes.`)
        parts.push(part)
      })
      response.on('error', () => fail('It broke off.'))
      response.on('end', () => {
        clearTimeout(timer)
        resolve(Buffer.concat(parts))
      })
    }
    sent.end()
  })
}

const privateRanges = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  privateRanges.addSubnet(address, bits, 'ipv4')

/** Whether an address is not on the public internet. In IPv6 one range is public, except for the transitions to IPv4 in it. */
export function isPrivate(address: string): boolean {
  if (isIP(address) === 4) return privateRanges.check(address, 'ipv4')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return privateRanges.check(mapped, 'ipv4')
  return !/^[23][0-9a-f]{3}:/i.test(address) || /^(2002|2001:0{0,4}):/i.test(address)
}

/**
 * Looks a name up and gives the connection only addresses that are public, so a name cannot resolve to another address in
 * between.
 */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolveName(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0)
    const usable = addresses.filter(({ address }) => !isPrivate(address))
    if (usable.length === 0) return callback(new FetchError('It is on a private network.'), '', 0)
    if (options.all) return callback(null, usable)
    callback(null, usable[0]!.address, usable[0]!.family)
  })
}

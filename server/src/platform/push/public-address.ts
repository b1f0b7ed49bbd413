import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** A URL given by a client points at a private address. Calling it would be server-side request forgery (SSRF). */
export class ForbiddenAddress extends Error {}

/**
 * Whether an address is on the public internet. All special ranges are excluded: loopback, private, link-local,
 * carrier-grade NAT, multicast, and IPv6 forms that embed an IPv4 address (`rfc6052`, 6to4, Teredo, `::127.0.0.1`).
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  // Of IPv6, only 2000::/3 is assigned: ipaddr.js takes the rest for public too.
  const isAssigned = parsed.kind() === 'ipv4' || (parsed.toByteArray()[0]! & 0xe0) === 0x20
  return isAssigned && parsed.range() === 'unicast'
}

/** Allowed in development. */
const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

/**
 * Resolves a host name to an address, all of which must be public. Connect to the returned address, not to the name: a
 * second lookup could return another address.
 */
export async function resolvePublicAddress(
  hostname: string,
  { allowLoopback }: { allowLoopback: boolean },
): Promise<string> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  const found = ipaddr.isValid(literal)
    ? [literal]
    : (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  const isAllowed = (address: string) => isPublicAddress(address) || (allowLoopback && isLoopback(address))
  if (found.length === 0 || !found.every(isAllowed)) throw new ForbiddenAddress(`${hostname} is not a public address`)
  return found[0]!
}

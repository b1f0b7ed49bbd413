import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** Somebody gave us an address to call that is none of the public internet's: our own house, or a neighbour's. */
export class ForbiddenAddress extends Error {}

/**
 * Whether an address is anybody's on the internet. Everything special is refused by being named special: loopback,
 * private, link-local, carrier, multicast, and IPv6 forms that carry an IPv4 address (`rfc6052`, 6to4, Teredo).
 */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'

/** An address of ours, which development allows. */
const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

/**
 * The address to connect to for a host name. The caller connects to what was checked: a second look at the name might
 * find another answer. All of a name's addresses must be public.
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

import { lookup } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

/** A URL given by a client points at a private address. Calling it would be server-side request forgery (SSRF). */
export class ForbiddenAddress extends Error {}

export interface AddressRule {
  /** In development: hosts on this machine are allowed, too. */
  readonly allowLoopback: boolean
}

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
export async function resolvePublicAddress(hostname: string, { allowLoopback }: AddressRule): Promise<string> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  const found = ipaddr.isValid(literal)
    ? [literal]
    : (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  const isAllowed = (address: string) => isPublicAddress(address) || (allowLoopback && isLoopback(address))
  if (found.length === 0 || !found.every(isAllowed)) throw new ForbiddenAddress(`${hostname} is not a public address`)
  return found[0]!
}

// A request to our API waits no longer for DNS. The name is resolved again before anything is sent.
const lookupTimeoutMs = 2_000

/**
 * Whether a host that a client names is one we may call, as far as we can tell now. True if its name cannot be resolved
 * right now: it is checked again before every request.
 */
export function isCallableHost(hostname: string, rule: AddressRule): Promise<boolean> {
  const checked = resolvePublicAddress(hostname, rule).then(
    () => true,
    (error) => !(error instanceof ForbiddenAddress),
  )
  return Promise.race([checked, wait(lookupTimeoutMs, true, { ref: false })])
}

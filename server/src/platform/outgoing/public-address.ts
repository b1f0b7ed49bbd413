import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

/** A URL given by a client points at a private address. Calling it would be server-side request forgery (SSRF). */
export class ForbiddenAddress extends Error {}

/** A host name has no address, or name servers did not reply. */
export class UnknownHost extends Error {}

export interface AddressRule {
  /** In development: hosts on this machine are allowed, too. */
  readonly allowLoopback: boolean
  /** Name servers to ask instead of the system's. */
  readonly nameServers?: readonly string[]
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
export async function resolvePublicAddress(hostname: string, rule: AddressRule): Promise<string> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  const found = ipaddr.isValid(literal) ? [literal] : await addressesOf(hostname, rule)
  const isAllowed = (address: string) => isPublicAddress(address) || (rule.allowLoopback && isLoopback(address))
  if (!found.every(isAllowed)) throw new ForbiddenAddress(`${hostname} is not a public address`)
  return found[0]!
}

/** The addresses of a name, IPv4 first. At least one. */
async function addressesOf(hostname: string, rule: AddressRule): Promise<string[]> {
  if (isThisMachine(hostname)) {
    if (!rule.allowLoopback) throw new ForbiddenAddress(`${hostname} is this machine`)
    return (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  }
  const resolver = new Resolver({ timeout: nameServerTimeoutMs, tries: 2 })
  if (rule.nameServers) resolver.setServers(rule.nameServers)
  // Not `lookup`: it occupies a thread until the name server replies, and a process has only two for all its lookups. With
  // a name server that never replies, anyone could keep us from reaching our own nodes and mail server.
  const replies = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
  if (found.length === 0) throw new UnknownHost(`${hostname} has no address`)
  return found
}

const isThisMachine = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(hostname)

const nameServerTimeoutMs = 1_000

// Requests to our API wait at most this long for DNS. The name is resolved again before anything is sent.
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

import ipaddr from 'ipaddr.js'

/**
 * The address that a rate limit counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address, because one household
 * usually has a whole /64. An IPv4-mapped IPv6 address counts as the IPv4 address.
 */
export function clientAddress(text: string): string {
  if (!ipaddr.isValid(text)) return 'unknown'
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv4 ? address.toString() : `${prefixOf(address, 4)}::/64`
}

/** The /48 of an IPv6 address, which one customer may have; undefined for IPv4. */
export function clientNetwork(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return undefined
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? `${prefixOf(address, 3)}::/48` : undefined
}

/**
 * The widest network that one customer has, as far as we know: an IPv4 address, or the /48 of an IPv6 address. Where clients take
 * turns, they do so by it.
 */
export const customerNetwork = (text: string): string => clientNetwork(text) ?? clientAddress(text)

const prefixOf = (address: ipaddr.IPv6, parts: number): string =>
  address.parts
    .slice(0, parts)
    .map((part) => part.toString(16))
    .join(':')

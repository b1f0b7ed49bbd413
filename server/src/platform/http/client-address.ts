import ipaddr from 'ipaddr.js'

/**
 * What a rate limit counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address, because one household
 * usually has a whole /64. An IPv4-mapped IPv6 address counts as the IPv4 address.
 */
export function clientAddress(text: string): string {
  if (!ipaddr.isValid(text)) return 'unknown'
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

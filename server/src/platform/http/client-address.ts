import ipaddr from 'ipaddr.js'

/**
 * What a limit counts as one client: an IPv4 address, or the /64 of an IPv6 one, since a single household is handed that
 * many. IPv4 in IPv6 clothes is the IPv4 address.
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

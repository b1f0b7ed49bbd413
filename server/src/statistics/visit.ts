import type { Visit } from '@pennypost/contract/endpoint'

/** User-Agents of crawlers and uptime checks, not of readers. `Cubot` is a maker of phones. */
const bots = /(?<!cu)bot(?![a-z])|crawl|spider|slurp|archiver|facebookexternalhit|feedfetcher|monitor|lighthouse/i

export const isBot = ({ userAgent }: Visit): boolean => userAgent !== undefined && bots.test(userAgent)

// No port, no password, no IP address: a name with a dot, ending in letters or in punycode.
const host = /^https?:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59}))(?=[:/?#]|$)/i
const maxHostLength = 253

/**
 * The host of the page that led here. Empty if there was none, or if it has no public name. Nothing else of the URL is
 * kept.
 */
export function referringHost({ referrer }: Visit): string {
  const name = referrer === undefined ? undefined : host.exec(referrer.slice(0, 300))?.[1]
  return name === undefined || name.length > maxHostLength ? '' : name.toLowerCase().replace(/^www\./, '')
}

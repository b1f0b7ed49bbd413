/** Where a browser is sent with a code: to a site, to a program that listens on this device, or to an installed app. */
export type RedirectKind = 'site' | 'loopback' | 'app'

const maxLength = 2048
// Excludes characters that parsers disagree about, and those that must not be in a header or an attribute.
const allowedCharacters = /^[\x21-\x7e]+$/
const refusedCharacters = /["'<>\\^`{|}#]/
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/
/** A scheme of an app contains the reversed name of a domain, so its owner is known (RFC 8252, section 7.1). */
const appScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/

/** The kind of a redirect URI. Undefined if no program may use it. */
export function redirectKind(uri: string): RedirectKind | undefined {
  if (uri.length > maxLength || !allowedCharacters.test(uri) || refusedCharacters.test(uri)) return undefined
  if (!URL.canParse(uri)) return undefined
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return undefined
  if (protocol === 'https:') return /^https:\/\/[^/]/.test(uri) && hostname !== '' ? 'site' : undefined
  if (protocol === 'http:') return loopback.test(uri) ? 'loopback' : undefined
  return appScheme.test(protocol) && uri.startsWith(protocol) ? 'app' : undefined
}

/**
 * Whether a registered URI is the requested one: character by character, except that a program on this device may listen
 * on any port (RFC 8252, section 7.3).
 */
export const isSameRedirect = (registered: string, requested: string): boolean =>
  registered === requested || (loopback.test(requested) && withoutPort(registered) === withoutPort(requested))

const withoutPort = (uri: string): string => uri.replace(loopback, (start) => start.replace(/:\d+$/, ''))

/** Adds parameters to a redirect URI, which may have a query already. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

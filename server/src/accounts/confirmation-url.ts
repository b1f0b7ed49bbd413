/**
 * The token of a confirmation link, if the URL is exactly one of ours. It is only ever parsed: no request leaves for a
 * URL that somebody sent us, so there is nothing to be redirected or tricked.
 */
export function confirmationToken(text: string, trustedOrigin: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.origin !== trustedOrigin || url.username !== '' || url.password !== '') return undefined
  if (url.pathname !== '/auth/v1/verify' || url.hash !== '') return undefined
  const names = [...url.searchParams.keys()].sort()
  if (names.join() !== 'token,type' || url.searchParams.get('type') !== 'email_change') return undefined
  return url.searchParams.get('token') || undefined
}

/**
 * Reads the token from a confirmation link, if the URL is exactly one of ours. The URL is only parsed and never
 * requested, so a caller cannot make the server fetch or follow anything.
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

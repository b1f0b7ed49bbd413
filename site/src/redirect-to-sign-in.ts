/** Why the person is asked to sign in. The sign-in page says it. */
const reasons = {
  comment: 'Sign in to comment. You come back to the post afterwards.',
  react: 'Sign in to react. You come back to the post afterwards.',
  follow: 'Sign in to follow, and to hear of new posts.',
  following: 'Sign in to see new posts of the authors you follow.',
  save: 'Sign in to save this post for later. You come back to it afterwards.',
  saved: 'Sign in to see the posts you saved.',
  buy: 'Sign in to buy this post. You come back to it afterwards.',
  read: 'Sign in to read what you bought. You come back to the post afterwards.',
  connect: 'Sign in to connect a program. You come back to its request afterwards.',
  write: 'Sign in to write. New here? The same form creates your account.',
}
export type Reason = keyof typeof reasons

export const signInPath = (next: string, reason?: Reason): string =>
  `/sign-in?next=${encodeURIComponent(next)}${reason === undefined ? '' : `&for=${reason}`}`

/** Goes to the sign-in page, which comes back to this place afterwards. */
export function redirectToSignIn(reason?: Reason): void {
  localStorage.removeItem('signed-in')
  location.assign(signInPath(location.pathname + location.search + location.hash, reason))
}

/** The reason in the query of the sign-in page. Only our own texts, because anyone can make a link to it. */
export function reasonIn(query: string): string | undefined {
  const name = new URLSearchParams(query).get('for') ?? ''
  return Object.hasOwn(reasons, name) ? reasons[name as Reason] : undefined
}

/** Goes to the sign-in page, which comes back here afterwards. */
export function redirectToSignIn(): void {
  localStorage.removeItem('signed-in')
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}

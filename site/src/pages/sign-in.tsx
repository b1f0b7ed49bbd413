import { returnPage } from '../return-page.ts'
import { fetchSession } from '../session.ts'
import { SignIn } from '../sign-in/sign-in.tsx'
import { showPage } from '../ui/show-page.tsx'

// For /sign-in and /join. What a link brings is in its fragment, which is not sent to any server. It must not stay in the
// address bar.
const link = new URLSearchParams(location.hash.slice(1))
if (link.has('token')) history.replaceState(null, '', location.pathname + location.search)
// A link that is opened in a tab with this page only changes the fragment.
addEventListener('hashchange', () => location.reload())

await showPage(async () => {
  const { account } = await fetchSession()
  if (account && !account.isGuest) {
    location.assign(returnPage(location.search, location.origin))
    return null
  }
  return <SignIn link={link} isGuest={account !== null} />
})

import { useEffect, useRef } from 'preact/hooks'
import { Avatar } from '../components/avatar.tsx'
import { Name } from '../components/person-link.tsx'
import { creatorPath } from '../paths.ts'
import { type Account, signOut } from '../session.ts'

interface AccountMenuProps {
  readonly account: Account
  readonly unread: number
}

/** The signed-in user's part of the top bar. */
export const AccountMenu = ({ account, unread }: AccountMenuProps) => (
  <>
    <a href="/studio">Write</a>
    <a class="with-icon" data-icon="bell" href="/notifications">
      <span>Notifications</span>
      {unread > 0 && (
        <>
          {' '}
          <span class="unread">
            {unread > 99 ? '99+' : unread}
            <span class="visually-hidden"> unread</span>
          </span>
        </>
      )}
    </a>
    <Menu account={account} />
  </>
)

function Menu({ account }: { readonly account: Account }) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const closeOutside = (event: Event) => {
      if (!menu.current!.contains(event.target as Node)) menu.current!.open = false
    }
    document.addEventListener('click', closeOutside)
    return () => document.removeEventListener('click', closeOutside)
  }, [])
  const closeWithKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    menu.current!.open = false
    menu.current!.querySelector('summary')!.focus()
  }
  return (
    <details class="menu" ref={menu} onKeyDown={closeWithKey}>
      <summary aria-label="Your account">
        <Avatar person={account} />
      </summary>
      <div>
        <p>
          <b>
            <Name of={account.name} />
          </b>
          <br />
          <span class="quiet">@{account.handle}</span>
        </p>
        <a href={creatorPath(account.handle)}>Your page</a>
        <a href="/library">Library</a>
        <a href="/studio">Studio</a>
        <a href="/studio/earnings/overview">Earnings</a>
        <a href="/leaderboards">Top authors</a>
        <a href="/settings/profile">Settings</a>
        {account.isGuest && <a href="/sign-in">Keep what you bought</a>}
        {account.isAdmin && <a href="/admin">Administration</a>}
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </div>
    </details>
  )
}

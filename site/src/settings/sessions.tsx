import { listSessions, revokeSession } from '@pennypost/contract/sessions'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate, formatTimeAgo } from '../format.ts'
import { signOut } from '../session.ts'
import { Button } from '../ui/button.tsx'

export const loadSessions = async () => (await callApi(listSessions, {})).sessions

/** Where the account is signed in. */
export function Sessions({ first }: { readonly first: Awaited<ReturnType<typeof loadSessions>> }) {
  const [sessions, setSessions] = useState(first)
  const end = async (sessionId: string) => {
    await callApi(revokeSession, { params: { sessionId } })
    setSessions(await loadSessions())
  }
  return (
    <>
      <p class="lead">Where you are signed in. A session that you end is signed out immediately.</p>
      <ul class="rows">
        {sessions.map(({ id, kind, isCurrent, startedAt, renewedAt }) => (
          <li key={id}>
            <div>
              <p>
                <b>{kind === 'wallet' ? 'By wallet' : 'By email'}</b>{' '}
                {isCurrent && <span class="badge good">this browser</span>}
              </p>
              <p class="facts">
                Since {formatDate(startedAt)}, last seen {formatTimeAgo(renewedAt)}
              </p>
            </div>
            {isCurrent ? (
              <Button action={signOut}>Sign out</Button>
            ) : (
              <Button action={() => end(id)}>End session</Button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

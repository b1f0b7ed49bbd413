import { listSessions, revokeOtherSessions, revokeSession } from '@pennypost/contract/sessions'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate, formatTimeAgo } from '../format.ts'
import { signOut } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'

export const loadSessions = async () => (await callApi(listSessions, {})).sessions

/** Where the account is signed in. */
export function Sessions({ first }: { readonly first: Awaited<ReturnType<typeof loadSessions>> }) {
  const [sessions, setSessions] = useState(first)
  const end = async (sessionId: string) => {
    await callApi(revokeSession, { params: { sessionId } })
    setSessions(await loadSessions())
  }
  const endOthers = async () => {
    if ((await confirmAction('Sign out everywhere but here?', 'Sign out')) === undefined) return
    await callApi(revokeOtherSessions, {})
    setSessions(await loadSessions())
  }
  return (
    <>
      <p class="lead">Where you are signed in. A session that you end is signed out immediately.</p>
      <ul class="rows">
        {sessions.map(({ id, kind, device, isCurrent, startedAt, lastUsedAt }) => (
          <li key={id}>
            <div>
              <p>
                <b>{device}</b> {isCurrent && <span class="badge good">this browser</span>}
              </p>
              <p class="facts">
                Signed in by {kind} {formatDate(startedAt)}, last used {formatTimeAgo(lastUsedAt)}
              </p>
            </div>
            {isCurrent ? (
              <Button action={signOut}>Sign out</Button>
            ) : (
              <Button action={() => end(id)} aria-label={`End session: ${device}`}>
                End session
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && <Button action={endOthers}>End all other sessions</Button>}
    </>
  )
}

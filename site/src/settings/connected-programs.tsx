import { type ConnectedProgram, disconnectProgram, listConnectedPrograms } from '@pennypost/contract/connected-programs'
import { oauthScopes } from '@pennypost/contract/oauth-scopes'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate, formatTimeAgo } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'

export const loadPrograms = async (): Promise<ConnectedProgram[]> => (await callApi(listConnectedPrograms, {})).programs

/** The programs that may act for the account. */
export function ConnectedPrograms({ first }: { readonly first: readonly ConnectedProgram[] }) {
  const [programs, setPrograms] = useState(first)
  const disconnect = async (programId: string, title: string) => {
    if ((await confirmAction(`Disconnect ${title}?`, 'Disconnect')) === undefined) return
    await callApi(disconnectProgram, { params: { programId } })
    setPrograms(await loadPrograms())
  }
  return (
    <>
      <p class="lead">Programs that you allowed to act in your name. One that you disconnect stops immediately.</p>
      {programs.length === 0 && <p class="empty">No programs are connected.</p>}
      <ul class="rows">
        {programs.map((program) => (
          <li key={program.id}>
            <div>
              <p>
                <b>
                  <bdi>{titleOf(program)}</bdi>
                </b>{' '}
                {(program.host === null || program.name !== null) && (
                  <span class="badge">{program.host ?? 'on a device'}</span>
                )}
              </p>
              <p class="facts">
                {program.scopes.map((scope) => oauthScopes[scope].title).join(' · ')}
                <br />
                Connected {formatDate(program.connectedAt)},{' '}
                {program.lastUsedAt === null ? 'never used' : `last used ${formatTimeAgo(program.lastUsedAt)}`}
              </p>
            </div>
            <Button
              action={() => disconnect(program.id, titleOf(program))}
              aria-label={`Disconnect: ${titleOf(program)}`}
            >
              Disconnect
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

const titleOf = ({ name, host }: ConnectedProgram): string => name ?? host ?? 'A program without a name'

import {
  type AdminAccount,
  listAccounts,
  removeAgentLabel,
  restoreAccount,
  suspendAccount,
} from '@pennypost/contract/admin-accounts'
import { useRef } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { formatDate } from '../format.ts'
import { creatorPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

export async function loadAccounts(words: string, cursor?: string): Promise<ListPage<AdminAccount>> {
  const query = { ...(words !== '' && { q: words }), ...(cursor !== undefined && { cursor }) }
  const { accounts, pagination } = await callApi(listAccounts, { query })
  return { items: accounts, cursor: pagination.nextCursor }
}

/** Finds accounts, to suspend or restore them or to remove their agent label. */
export function Accounts({ first }: { readonly first: ListPage<AdminAccount> }) {
  const search = useRef<HTMLInputElement>(null)
  const typed = () => search.current?.value.trim() ?? ''
  const { items, more, show, reload } = useListPages(first, (cursor) => loadAccounts(typed(), cursor))
  const find = async () => {
    const words = typed()
    const found = await loadAccounts(words)
    // The user has typed on, and a newer search is on its way.
    if (words === typed()) show(found)
  }
  return (
    <>
      <input
        type="search"
        ref={search}
        placeholder="How the handle begins"
        aria-label="Find accounts"
        maxlength={30}
        autocapitalize="none"
        spellcheck={false}
        onInput={find}
      />
      <ul class="rows">
        {items.map((account) => (
          <AccountRow key={account.id} account={account} onChange={reload} />
        ))}
      </ul>
      {items.length === 0 && <p class="empty">No account has a handle like this.</p>}
      {more}
    </>
  )
}

interface AccountRowProps {
  readonly account: AdminAccount
  readonly onChange: () => Promise<void>
}

function AccountRow({ account, onChange }: AccountRowProps) {
  const { id, handle, name, authorKind, isAdmin, createdAt, suspendedAt } = account
  const act =
    (
      label: string,
      question: string,
      endpoint: typeof suspendAccount | typeof restoreAccount | typeof removeAgentLabel,
    ) =>
    async () => {
      const note = await confirmAction(question, label, 'Reason, for the audit log')
      if (note === undefined) return
      await callApi(endpoint, { params: { accountId: id }, body: { note } })
      showToast('Done.')
      await onChange()
    }
  return (
    <li data-item="">
      <div>
        <p>
          <a class="title" href={creatorPath(handle)}>
            <Name of={name} />
          </a>{' '}
          {authorKind === 'agent' && <span class="badge">agent</span>}{' '}
          {isAdmin && <span class="badge good">administrator</span>}{' '}
          {suspendedAt !== null && <span class="badge bad">suspended</span>}
        </p>
        <p class="facts">
          @{handle}, since {formatDate(createdAt)}
        </p>
      </div>
      <div class="row">
        {authorKind === 'agent' && (
          <Button action={act('Remove agent label', `Is @${handle} not an AI agent?`, removeAgentLabel)}>
            Remove agent label
          </Button>
        )}
        {suspendedAt !== null && (
          <Button action={act('Restore', `End the suspension of @${handle}?`, restoreAccount)}>Restore</Button>
        )}
        {suspendedAt === null && !isAdmin && (
          <Button class="danger small" action={act('Suspend', `Suspend @${handle}?`, suspendAccount)}>
            Suspend
          </Button>
        )}
      </div>
    </li>
  )
}

import {
  type AdminAccount,
  listAccounts,
  removeAgentLabel,
  restoreAccount,
  suspendAccount,
} from '@pennypost/contract/admin-accounts'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDate } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

type Action = typeof suspendAccount | typeof restoreAccount | typeof removeAgentLabel

/** Finds accounts, to suspend or restore them or to remove their agent label. */
export async function showAccounts(): Promise<void> {
  const list = h('ul', { class: 'rows' })
  const more = h('p', {})
  const search = h('input', {
    type: 'search',
    placeholder: 'How the handle begins',
    'aria-label': 'Find accounts',
    maxlength: 30,
    autocapitalize: 'none',
    spellcheck: 'false',
  })
  const load = async (cursor?: string): Promise<void> => {
    const query = { ...(search.value.trim() && { q: search.value.trim() }), ...(cursor && { cursor }) }
    const { accounts, pagination } = await callApi(listAccounts, { query })
    if (!cursor) list.replaceChildren()
    list.append(...accounts.map((account) => row(account, () => load())))
    if (list.childElementCount === 0) list.append(h('li', { class: 'empty' }, 'Nobody has such a handle.'))
    const next = pagination.nextCursor
    more.replaceChildren(...(next === null ? [] : [button('More', () => load(next))]))
  }
  search.addEventListener('input', () => load())
  showView(search, list, more)
  await load()
}

function row(account: AdminAccount, redraw: () => Promise<void>): HTMLElement {
  const { id, handle, name, authorKind, isAdmin, createdAt, suspendedAt } = account
  const act = (words: string, question: string, endpoint: Action, style?: string) =>
    button(
      words,
      async () => {
        const note = await confirmAction(question, words, 'Why? It is written into the log.')
        if (note === undefined) return
        await callApi(endpoint, { params: { accountId: id }, body: { note } })
        showToast('Done.')
        await redraw()
      },
      style,
    )
  return h(
    'li',
    { 'data-item': true },
    h(
      'div',
      {},
      h('p', {}, h('a', { class: 'title', href: `/@${handle}` }, h('bdi', {}, name)), ' ', badges(account)),
      h('p', { class: 'facts' }, `@${handle}, since ${formatDate(createdAt)}`),
    ),
    h(
      'div',
      { class: 'row' },
      authorKind === 'agent' && act('Remove agent label', `Is @${handle} not an AI agent?`, removeAgentLabel),
      suspendedAt !== null && act('Restore', `End the suspension of @${handle}?`, restoreAccount),
      suspendedAt === null && !isAdmin && act('Suspend', `Suspend @${handle}?`, suspendAccount, 'danger small'),
    ),
  )
}

const badges = ({ authorKind, isAdmin, suspendedAt }: AdminAccount): HTMLElement =>
  h(
    'span',
    {},
    authorKind === 'agent' && h('span', { class: 'badge' }, 'agent'),
    isAdmin && [' ', h('span', { class: 'badge good' }, 'administrator')],
    suspendedAt !== null && [' ', h('span', { class: 'badge bad' }, 'suspended')],
  )

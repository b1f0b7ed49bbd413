import { listSessions, revokeSession } from '@pennypost/contract/sessions'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDate, formatTimeAgo } from '../format.ts'
import { signOut } from '../session.ts'
import { showView } from '../show-view.ts'

/** Where the account is signed in. */
export async function showSessions(): Promise<void> {
  const { sessions } = await callApi(listSessions, {})
  showView(
    h('p', { class: 'lead' }, 'Where you are signed in. What you end here is signed out at once.'),
    h(
      'ul',
      { class: 'rows' },
      sessions.map(({ id, kind, isCurrent, startedAt, renewedAt }) =>
        h(
          'li',
          {},
          h(
            'div',
            {},
            h(
              'p',
              {},
              h('b', {}, kind === 'wallet' ? 'By wallet' : 'By email'),
              isCurrent && ' ',
              isCurrent && h('span', { class: 'badge good' }, 'this browser'),
            ),
            h('p', { class: 'facts' }, `Since ${formatDate(startedAt)}, last seen ${formatTimeAgo(renewedAt)}`),
          ),
          isCurrent
            ? button('Sign out', signOut)
            : button('End', async () => {
                await callApi(revokeSession, { params: { sessionId: id } })
                await showSessions()
              }),
        ),
      ),
    ),
  )
}

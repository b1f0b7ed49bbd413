import { listSessions, revokeSession } from '@pennypost/contract/sessions'
import { ask } from '../api.ts'
import { h, show } from '../dom.ts'
import { button } from '../form.ts'
import { signOut } from '../session.ts'
import { agoWords, dayWords } from '../words.ts'

/** Where one is signed in. */
export async function showSessions(): Promise<void> {
  const { sessions } = await ask(listSessions, {})
  show(
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
            h('p', { class: 'facts' }, `Since ${dayWords(startedAt)}, last seen ${agoWords(renewedAt)}`),
          ),
          isCurrent
            ? button('Sign out', signOut)
            : button('End', async () => {
                await ask(revokeSession, { params: { sessionId: id } })
                await showSessions()
              }),
        ),
      ),
    ),
  )
}

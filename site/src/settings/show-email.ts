import {
  changeAccountEmail,
  getAccountEmail,
  removeAccountEmail,
  resendAccountEmail,
  verifyAccountEmail,
} from '@pennypost/contract/account-email'
import { startSiteSession } from '@pennypost/contract/site-session'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button, codeInput, field, fieldText, form } from '../form.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

/** The account's email address, and a change of it that is not confirmed yet. */
export async function showEmail(): Promise<void> {
  const { email, pendingEmail } = await callApi(getAccountEmail, {})
  showView(
    h(
      'p',
      { class: 'lead' },
      email
        ? ['You sign in with ', h('b', {}, email), '.']
        : 'You have no address. With one you can sign in by mail, and be told by mail.',
    ),
    pendingEmail !== null && confirmation(pendingEmail),
    h('h2', {}, email ? 'Another address' : 'An address'),
    form(
      [
        field(
          'New address',
          h('input', { name: 'email', type: 'email', required: true, maxlength: 320, autocomplete: 'email' }),
          'Nothing changes until you enter the code that we send there.',
        ),
      ],
      'Send a code',
      async (fields) => {
        await callApi(changeAccountEmail, { body: { email: fieldText(fields, 'email') } })
        await showEmail()
      },
    ),
    email !== null &&
      h(
        'p',
        {},
        button(
          'Remove my address',
          async () => {
            if ((await confirmAction('Have no address any more?', 'Remove')) === undefined) return
            await callApi(removeAccountEmail, {})
            await showEmail()
          },
          'text-button',
        ),
      ),
  )
}

function confirmation(pending: string): HTMLElement {
  const element = form(
    [h('p', {}, 'Waiting for the code that we sent to ', h('b', {}, pending), '.'), field('Code', codeInput())],
    'Confirm',
    async (fields) => {
      const { session } = await callApi(verifyAccountEmail, { body: { code: fieldText(fields, 'code') } })
      if (session) {
        const { accessToken, refreshToken } = session
        await callApi(startSiteSession, { body: { accessToken, refreshToken } })
      }
      showToast('Your address is confirmed.')
      await showEmail()
    },
  )
  element.classList.add('box')
  element.lastElementChild!.append(
    button('Send it again', async () => {
      await callApi(resendAccountEmail, {})
      showToast(`We wrote to ${pending} again.`)
    }),
  )
  return element
}

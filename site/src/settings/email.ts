import {
  changeAccountEmail,
  getAccountEmail,
  removeAccountEmail,
  resendAccountEmail,
  verifyAccountEmail,
} from '@pennypost/contract/account-email'
import { startSiteSession } from '@pennypost/contract/site-session'
import { ask } from '../api.ts'
import { askFirst, h, say, show } from '../dom.ts'
import { button, codeInput, field, form, text } from '../form.ts'

/** The address one signs in with, and a change of it that waits to be confirmed. */
export async function showEmail(): Promise<void> {
  const { email, pendingEmail } = await ask(getAccountEmail, {})
  show(
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
        await ask(changeAccountEmail, { body: { email: text(fields, 'email') } })
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
            if ((await askFirst('Have no address any more?', 'Remove')) === undefined) return
            await ask(removeAccountEmail, {})
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
      const { session } = await ask(verifyAccountEmail, { body: { code: text(fields, 'code') } })
      if (session) {
        const { accessToken, refreshToken } = session
        await ask(startSiteSession, { body: { accessToken, refreshToken } })
      }
      say('Your address is confirmed.')
      await showEmail()
    },
  )
  element.classList.add('box')
  element.lastElementChild!.append(
    button('Send it again', async () => {
      await ask(resendAccountEmail, {})
      say(`We wrote to ${pending} again.`)
    }),
  )
  return element
}

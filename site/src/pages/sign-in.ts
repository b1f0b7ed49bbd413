import { logIn, verifyLogin } from '@pennypost/contract/sessions'
import { ask } from '../api.ts'
import { begin } from '../begin.ts'
import { h, show } from '../dom.ts'
import { button, codeInput, field, form, text } from '../form.ts'
import { askWho, leaveSession, signIn } from '../session.ts'
import { signingIn } from '../wallet/sign-in.ts'
import { walletWays } from '../wallet/ways.ts'

// Signing in. Each way to do it ends with a pair of tokens, which signIn keeps.

await begin(async () => {
  const { account } = await askWho()
  if (account?.isGuest) tellGuest()
  else if (account) location.assign('/')
  else askForAddress()
})

/** A guest is somebody already: whatever they prove now would be added to the guest. */
function tellGuest(): void {
  show(
    h('p', {}, 'You are here as a guest, who bought something in this browser. '),
    h(
      'div',
      { class: 'card' },
      h('a', { class: 'button', href: '/settings/email' }, 'Make the guest my account: add an email'),
      h('a', { class: 'button quiet-button', href: '/settings/wallets' }, 'Make it my account: link a wallet'),
      button(
        'Sign in to another account',
        async () => {
          await leaveSession()
          askForAddress()
        },
        'quiet-button',
      ),
      h(
        'p',
        { class: 'hint' },
        'What you bought stays in this browser, and your library can move it into the account.',
      ),
    ),
  )
}

function askForAddress(email = ''): void {
  const address = h('input', {
    name: 'email',
    type: 'email',
    autocomplete: 'email',
    required: true,
    maxlength: 320,
    value: email,
  })
  show(
    form([field('Email', address)], 'Send me a code', async (fields) => {
      const given = text(fields, 'email')
      await ask(logIn, { body: { email: given } })
      askForCode(given)
    }),
    h('h2', { class: 'or' }, 'Or with a wallet'),
    walletWays(signingIn),
    h('p', { class: 'other-way' }, 'New here? ', h('a', { href: `/join${location.search}` }, 'Join'), '.'),
  )
  address.focus()
}

function askForCode(email: string): void {
  const code = codeInput()
  show(
    h('p', {}, 'If ', h('b', {}, email), ' has an account, a code is on its way.'),
    form([field('Code', code)], 'Sign in', async (fields) => {
      await signIn(await ask(verifyLogin, { body: { email, code: text(fields, 'code') } }))
    }),
    h(
      'p',
      {},
      button('Another address', () => askForAddress(email), 'text-button'),
    ),
  )
  code.focus()
}

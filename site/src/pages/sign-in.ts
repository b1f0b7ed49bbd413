import { logIn, verifyLogin } from '@pennypost/contract/sessions'
import { ask } from '../api.ts'
import { begin } from '../begin.ts'
import { h, show } from '../dom.ts'
import { button, codeInput, field, form, text } from '../form.ts'
import { askWho, signIn } from '../session.ts'

// Signing in. Each way to do it ends with a pair of tokens, which signIn keeps; the next one has its place below the form.

await begin(async () => {
  const { account } = await askWho()
  if (account) location.assign('/')
  else askForAddress()
})

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

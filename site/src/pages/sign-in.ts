import { verifyContinuation } from '@pennypost/contract/continuations'
import { logIn, verifyLogin } from '@pennypost/contract/sessions'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button, codeInput, field, fieldText, form } from '../form.ts'
import { loadPage } from '../load-page.ts'
import { endSession, fetchSession, signIn } from '../session.ts'
import { showView } from '../show-view.ts'
import { signInHandler } from '../wallet/sign-in-handler.ts'
import { walletOptions } from '../wallet/wallet-options.tsx'

// Every way to sign in ends with a pair of tokens for `signIn`.

// The link in an email. Its token must not stay in the address bar.
const link = new URLSearchParams(location.hash.slice(1))
if (link.has('token')) history.replaceState(null, '', location.pathname + location.search)
// A link that is opened in a tab with this page only changes the fragment.
addEventListener('hashchange', () => location.reload())

await loadPage(async () => {
  const { account } = await fetchSession()
  if (account?.isGuest) showGuestChoices()
  else if (account) location.assign('/')
  else if (link.has('token')) showLinkForm(link.get('email') ?? '', link.get('token')!, link.get('continuation'))
  else showEmailForm()
})

/** A guest already has an account, so an email or a wallet is added to it instead of signing in. */
function showGuestChoices(): void {
  showView(
    h('p', {}, 'You are here as a guest, who bought something in this browser. '),
    h(
      'div',
      { class: 'card' },
      h('a', { class: 'button', href: '/settings/email' }, 'Make the guest my account: add an email'),
      h('a', { class: 'button quiet-button', href: '/settings/wallets' }, 'Make it my account: link a wallet'),
      button(
        'Sign in to another account',
        async () => {
          await endSession()
          showEmailForm()
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

function showEmailForm(email = ''): void {
  const address = h('input', {
    name: 'email',
    type: 'email',
    autocomplete: 'email',
    required: true,
    maxlength: 320,
    value: email,
  })
  showView(
    form([field('Email', address)], 'Send me a code', async (fields) => {
      const given = fieldText(fields, 'email')
      await callApi(logIn, { body: { email: given } })
      showCodeForm(given)
    }),
    h('h2', { class: 'or' }, 'Or with a wallet'),
    walletOptions(signInHandler),
    h('p', { class: 'other-way' }, 'New here? ', h('a', { href: `/join${location.search}` }, 'Join'), '.'),
  )
  address.focus()
}

function showCodeForm(email: string): void {
  const code = codeInput()
  showView(
    h('p', {}, 'If ', h('b', {}, email), ' has an account, a code is on its way.'),
    form([field('Code', code)], 'Sign in', async (fields) => {
      await signIn(await callApi(verifyLogin, { body: { email, code: fieldText(fields, 'code') } }))
    }),
    h(
      'p',
      {},
      button('Another address', () => showEmailForm(email), 'text-button'),
    ),
  )
  code.focus()
}

/** Signs in only when asked, because some mail programs open every link. */
function showLinkForm(email: string, token: string, continuationId: string | null): void {
  showView(
    h('p', {}, 'Sign in as ', h('b', {}, email), '?'),
    form([], 'Sign in', async () => {
      const pair =
        continuationId === null
          ? await callApi(verifyLogin, { body: { email, code: token } })
          : await callApi(verifyContinuation, { params: { continuationId }, body: { code: token } })
      await signIn(pair)
    }),
    h(
      'p',
      {},
      button('Another address', () => showEmailForm(), 'text-button'),
    ),
  )
}

import { getAccess } from '@pennypost/contract/access'
import { claimCheckout, recoverCheckout } from '@pennypost/contract/checkout'
import { ask, askWith, signInFirst, wordsOf } from '../api.ts'
import { h, say } from '../dom.ts'
import { button } from '../form.ts'
import { keepSession } from '../session.ts'
import { walletWords } from '../wallet/browser-wallet.ts'
import { chooseWallet } from '../wallet/choose-wallet.ts'
import { signToRead } from '../wallet/siwx.ts'
import { forgetGuestPurchase, type GuestPurchase, guestPurchases } from './kept.ts'
import type { Till } from './paywall.ts'
import { showWhole } from './reading.ts'

/** Ways back to what was bought: the account, the wallet that paid, or what this browser kept for a guest. */
export async function boughtAlready(till: Till): Promise<void> {
  const { place, post, viewer, leave } = till
  const status = h('p', { class: 'pay-status', role: 'status' })
  const choice = h('div', { class: 'pay-body' })
  const attempt = (act: () => Promise<unknown>) => async () => {
    try {
      await act()
    } catch (error) {
      status.textContent = walletWords(error) ?? wordsOf(error)
    }
  }
  const kept = guestPurchases().find(({ postId }) => postId === post.id)
  place.replaceChildren(
    h(
      'section',
      { class: 'pay', 'aria-label': 'Bought already' },
      h('h3', {}, 'You bought it already?'),
      kept &&
        h(
          'p',
          {},
          button(
            'Open what I bought in this browser',
            attempt(() => comeBack(till, kept)),
            '',
          ),
        ),
      h(
        'p',
        {},
        viewer
          ? `You are signed in as ${viewer.name}, who has not bought it. Was it another account, or a wallet?`
          : 'Sign in to the account that you bought it with, by a code that we mail you or by your wallet.',
      ),
      h(
        'div',
        { class: 'row' },
        !viewer && button('Sign in', signInFirst, kept ? 'quiet-button' : ''),
        button(
          'Read as the wallet that paid',
          attempt(() => readAsWallet(till, choice, status)),
          'quiet-button',
        ),
      ),
      choice,
      status,
      button('Back', leave, 'text-button'),
    ),
  )
}

/** A wallet that paid signs a challenge in place of paying again. */
async function readAsWallet({ post }: Till, choice: HTMLElement, status: HTMLElement): Promise<void> {
  const wallet = await chooseWallet(choice)
  choice.replaceChildren()
  status.textContent = 'Let this page see your account, in the wallet.'
  const address = await wallet.connect()
  const params = { postId: post.id }
  const quoted = await ask(getAccess, { params })
  if ('access' in quoted) return showWhole(quoted, '')
  const challenge = quoted.extensions?.['sign-in-with-x'] as { info: Parameters<typeof signToRead>[2] }
  status.textContent = 'Sign in the wallet. It sends nothing and costs nothing.'
  const proof = await signToRead(wallet, address, challenge.info)
  const reply = await ask(getAccess, { params, query: { siwx: 'read' }, headers: { 'sign-in-with-x': proof } })
  if ('access' in reply) {
    showWhole(reply, '')
    say('This wallet has it. The whole text is here.')
  } else status.textContent = 'This wallet has not bought it.'
}

/** What a guest bought goes to whoever is signed in by now, or opens the guest's own account again. */
async function comeBack({ viewer, bought }: Till, { checkoutId, credential }: GuestPurchase): Promise<void> {
  const params = { checkoutId }
  if (viewer && !viewer.isGuest) {
    await ask(claimCheckout, { params, body: { checkoutCredential: credential } })
    forgetGuestPurchase(checkoutId)
  } else {
    const { session } = await askWith(credential, recoverCheckout, { params })
    if (session) await keepSession(session)
  }
  await bought()
}

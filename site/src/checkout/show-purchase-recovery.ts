import { getAccess } from '@pennypost/contract/access'
import { claimCheckout, recoverCheckout } from '@pennypost/contract/checkout'
import { callApi, callApiWithToken } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { button } from '../form.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { startSession } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { walletErrorMessage } from '../wallet/browser-wallet.ts'
import { chooseWallet } from '../wallet/choose-wallet.ts'
import { signSiwxChallenge } from '../wallet/sign-siwx-challenge.ts'
import type { CheckoutPanel } from './checkout-panel.ts'
import { showFullText } from './full-text.ts'
import { type GuestPurchase, guestPurchases, removeGuestPurchase } from './purchase-storage.ts'

/** Offers the ways to get back to a purchase: the account, the wallet that paid, or what this browser stored for a guest. */
export async function showPurchaseRecovery(panel: CheckoutPanel): Promise<void> {
  const { place, post, viewer, leave } = panel
  const status = h('p', { class: 'pay-status', role: 'status' })
  const choice = h('div', { class: 'pay-body' })
  const attempt = (act: () => Promise<unknown>) => async () => {
    try {
      await act()
    } catch (error) {
      status.textContent = walletErrorMessage(error) ?? errorMessage(error)
    }
  }
  const stored = guestPurchases().find(({ postId }) => postId === post.id)
  place.replaceChildren(
    h(
      'section',
      { class: 'pay', 'aria-label': 'Bought already' },
      h('h3', {}, 'You bought it already?'),
      stored &&
        h(
          'p',
          {},
          button(
            'Open what I bought in this browser',
            attempt(() => reopenGuestPurchase(panel, stored)),
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
        !viewer && button('Sign in', redirectToSignIn, stored ? 'quiet-button' : ''),
        button(
          'Read as the wallet that paid',
          attempt(() => readWithWallet(panel, choice, status)),
          'quiet-button',
        ),
      ),
      choice,
      status,
      button('Back', leave, 'text-button'),
    ),
  )
}

/** Reads the post by a signature of the wallet that paid, instead of paying again. */
async function readWithWallet({ post }: CheckoutPanel, choice: HTMLElement, status: HTMLElement): Promise<void> {
  const wallet = await chooseWallet(choice)
  choice.replaceChildren()
  status.textContent = 'Let this page see your account, in the wallet.'
  const address = await wallet.connect()
  const params = { postId: post.id }
  const quoted = await callApi(getAccess, { params })
  if ('access' in quoted) return showFullText(quoted, '')
  const challenge = quoted.extensions?.['sign-in-with-x'] as { info: Parameters<typeof signSiwxChallenge>[2] }
  status.textContent = 'Sign in the wallet. It sends nothing and costs nothing.'
  const proof = await signSiwxChallenge(wallet, address, challenge.info)
  const reply = await callApi(getAccess, { params, query: { siwx: 'read' }, headers: { 'sign-in-with-x': proof } })
  if ('access' in reply) {
    showFullText(reply, '')
    showToast('This wallet has it. The whole text is here.')
  } else status.textContent = 'This wallet has not bought it.'
}

/** Moves a guest's purchase into the signed-in account, or signs in to the guest's own account again. */
async function reopenGuestPurchase(
  { viewer, bought }: CheckoutPanel,
  { checkoutId, credential }: GuestPurchase,
): Promise<void> {
  const params = { checkoutId }
  if (viewer && !viewer.isGuest) {
    await callApi(claimCheckout, { params, body: { checkoutCredential: credential } })
    removeGuestPurchase(checkoutId)
  } else {
    const { session } = await callApiWithToken(credential, recoverCheckout, { params })
    if (session) await startSession(session)
  }
  await bought()
}

import { getAccess } from '@pennypost/contract/access'
import { recoverCheckout } from '@pennypost/contract/checkout'
import { useState } from 'preact/hooks'
import { callApi, callApiWithToken } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { errorMessage } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { walletErrorMessage } from '../wallet/browser-wallet.ts'
import { chooseWallet } from '../wallet/choose-wallet.tsx'
import { signSiwxChallenge } from '../wallet/sign-siwx-challenge.ts'
import type { CheckoutPanelProps } from './checkout-panel.ts'
import { keepGuestPurchase } from './keep-guest-purchase.ts'
import { type GuestPurchase, guestPurchases } from './purchase-storage.ts'

/** Offers the ways to get back to a purchase: the account, the wallet that paid, or what this browser stored for a guest. */
export function PurchaseRecovery(panel: CheckoutPanelProps) {
  const { post, viewer, onClose } = panel
  const [choice, setChoice] = useState<Children>()
  const [status, setStatus] = useState('')
  const attempt = (act: () => Promise<unknown>) => async () => {
    try {
      await act()
    } catch (error) {
      setStatus(walletErrorMessage(error) ?? errorMessage(error))
    }
  }
  const stored = guestPurchases().find(({ postId }) => postId === post.id)
  return (
    <section class="pay" aria-label="Already bought">
      <h3>Already bought this?</h3>
      {stored && (
        <p>
          <Button class="" action={attempt(() => reopenGuestPurchase(panel, stored))}>
            Open what I bought in this browser
          </Button>
        </p>
      )}
      <p>
        {viewer ? (
          <>
            You are signed in as <Name of={viewer.name} />, who has not bought this post. Did you use another account,
            or a wallet?
          </>
        ) : (
          'Sign in to the account you bought it with, using an email code or your wallet.'
        )}
      </p>
      <div class="row">
        {!viewer && (
          <Button class={stored ? 'quiet-button' : ''} action={() => redirectToSignIn('read')}>
            Sign in
          </Button>
        )}
        <Button class="quiet-button" action={attempt(() => readWithWallet(panel, setChoice, setStatus))}>
          Verify with the wallet you paid from
        </Button>
      </div>
      <div class="pay-body">{choice}</div>
      <p class="pay-status" role="status">
        {status}
      </p>
      <Button class="text-button" action={onClose}>
        Back
      </Button>
    </section>
  )
}

/** Reads the post by a signature of the wallet that paid, instead of paying again. */
async function readWithWallet(
  { post, onRead }: CheckoutPanelProps,
  setChoice: (choice: Children) => void,
  setStatus: (status: string) => void,
): Promise<void> {
  const wallet = await chooseWallet(setChoice)
  setChoice(undefined)
  setStatus('Connect your wallet to continue.')
  const address = await wallet.connect()
  const params = { postId: post.id }
  const quoted = await callApi(getAccess, { params })
  if ('access' in quoted) {
    await onRead(quoted)
    return
  }
  const challenge = quoted.extensions?.['sign-in-with-x'] as { info: Parameters<typeof signSiwxChallenge>[2] }
  setStatus('Sign in your wallet. This sends nothing and costs nothing.')
  const proof = await signSiwxChallenge(wallet, address, challenge.info)
  const reply = await callApi(getAccess, { params, query: { siwx: 'read' }, headers: { 'sign-in-with-x': proof } })
  if ('access' in reply) {
    await onRead(reply)
    showToast('This wallet bought it. Enjoy the full post.')
  } else setStatus('This wallet has not bought this post.')
}

/** Moves a guest's purchase into the signed-in account, or signs in to the guest's own account again. */
async function reopenGuestPurchase({ viewer, onBought }: CheckoutPanelProps, purchase: GuestPurchase): Promise<void> {
  const { checkoutId, credential } = purchase
  const isAccount = viewer !== null && !viewer.isGuest
  const recovered = isAccount
    ? undefined
    : await callApiWithToken(credential, recoverCheckout, { params: { checkoutId } })
  await keepGuestPurchase(purchase, recovered?.session ?? null)
  await onBought('')
}

import { startSiwxChallenge } from '@pennypost/contract/siwx-logins'
import { startNanoTransfer } from '@pennypost/contract/transfer-logins'
import { startNanoChallenge } from '@pennypost/contract/wallet-logins'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi } from '../call-api.ts'
import { formatXno } from '../checkout/show-nano-payment.ts'
import { copyable } from '../copy-button.ts'
import { type Child, h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { field, fieldText, form } from '../form.ts'
import { qrCode } from '../qr-code.ts'
import { randomUuid } from '../random-uuid.ts'
import { WalletError, walletErrorMessage } from './browser-wallet.ts'
import { chooseWallet } from './choose-wallet.ts'

// The ways to prove that a wallet is yours. The handler decides what the proof is for: signing in or linking.

interface Signed {
  readonly challengeId: string
  readonly signature: string
}

/** What to do with a proof. `answered` and `paid` are polled until they return true. */
export interface ProofHandler {
  /** A signature by a wallet on Base. */
  signed(proof: Signed): Promise<unknown>
  /** A signature by a Nano account. */
  signedNano(proof: Signed & { readonly account: string }): Promise<unknown>
  /** A challenge that another device may have signed through its `nanoauth:` link. */
  answered(challenge: { readonly challengeId: string; readonly pollSecret: string }): Promise<boolean>
  /** A payment that may have arrived from the wallet. */
  paid(transfer: { readonly transferId: string; readonly loginSecret: string }): Promise<boolean>
}

/** Proves a wallet in this browser by a signature. */
export async function proveBrowserWallet(place: HTMLElement, handler: ProofHandler): Promise<void> {
  const status = h('p', { role: 'status' })
  const choice = h('div', { class: 'card' })
  place.replaceChildren(choice, status)
  try {
    const wallet = await chooseWallet(choice)
    choice.replaceChildren()
    status.textContent = 'Let this page see your account, in the wallet.'
    const address = await wallet.connect()
    const { challengeId, message } = await callApi(startSiwxChallenge, { body: { address } })
    status.textContent = 'Sign in the wallet. It sends nothing and costs nothing.'
    await handler.signed({ challengeId, signature: await wallet.signText(address, message) })
    status.textContent = ''
  } catch (error) {
    status.textContent = walletErrorMessage(error) ?? errorMessage(error)
  }
}

/** Proves a Nano wallet by a signature, through a link or by copy and paste. */
export function proveBySigning(place: HTMLElement, handler: ProofHandler): void {
  const input = h('input', {
    name: 'account',
    required: true,
    maxlength: 100,
    placeholder: 'nano_…',
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  place.replaceChildren(
    form([field('Your Nano address', input)], 'Go on', async (fields) => {
      const account = fieldText(fields, 'account')
      const challenge = await callApi(startNanoChallenge, { body: { account } })
      const { challengeId, message, uri } = challenge
      const byHand = form(
        [
          h(
            'p',
            { class: 'hint' },
            'Any wallet that signs texts will do. Sign this one, and bring its signature here.',
          ),
          copyable('Text', message),
          field('Signature', h('textarea', { name: 'signature', required: true, rows: 3, spellcheck: 'false' })),
        ],
        'Use this signature',
        (signed) => handler.signedNano({ challengeId, account, signature: fieldText(signed, 'signature') }),
      )
      await pollUntilDone(
        place,
        'Waiting for your wallet to sign. It sends nothing and costs nothing.',
        () => handler.answered(challenge),
        [
          scanCard(uri, 'Scan it with a wallet that signs in (such as Nautilus), or open it on this device.'),
          h('details', {}, h('summary', {}, 'Sign by hand'), byHand),
        ],
      )
    }),
  )
  input.focus()
}

/** Proves a Nano wallet that can only pay, by a small payment that is sent back. */
export async function proveByPaying(place: HTMLElement, handler: ProofHandler): Promise<void> {
  try {
    const transfer = await callApi(startNanoTransfer, { body: { requestSecret: randomUuid() + randomUuid() } })
    const { uri, amountRaw, address, notice } = transfer
    await pollUntilDone(place, 'Waiting for your payment. It is sent back.', () => handler.paid(transfer), [
      h('p', { class: 'notice' }, notice),
      scanCard(uri, 'Scan it with your wallet, or open the wallet of this device.'),
      copyable('Amount', formatXno(amountRaw)),
      copyable('Address', address),
    ])
  } catch (error) {
    place.replaceChildren(h('p', { class: 'notice bad', role: 'alert' }, errorMessage(error)))
  }
}

const scanCard = (uri: string, words: string): HTMLElement =>
  h(
    'div',
    { class: 'card scan' },
    h('div', { class: 'pay-scan' }, qrCode(uri, 'A code to scan with a Nano wallet')),
    h('p', { class: 'hint' }, words),
    h('a', { class: 'button', href: uri }, 'Open my wallet'),
  )

const pollMs = 2000

/** Shows instructions and polls until they are done, or until they are no longer on the page. */
async function pollUntilDone(
  place: HTMLElement,
  words: string,
  isDone: () => Promise<boolean>,
  content: readonly Child[],
): Promise<void> {
  const status = h('p', { role: 'status' }, words)
  const shown = h('div', { class: 'card' }, content, status)
  place.replaceChildren(shown)
  const poll = async () => {
    if (!shown.isConnected) return
    try {
      if (await isDone()) return
    } catch (error) {
      // Network errors are retried. A refusal is final.
      if (error instanceof RefusedError || error instanceof WalletError) {
        status.textContent = walletErrorMessage(error) ?? errorMessage(error)
        return
      }
    }
    setTimeout(poll, pollMs)
  }
  setTimeout(poll, pollMs)
}

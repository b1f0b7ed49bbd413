import { RefusedError } from '@pennypost/contract/client'
import { startSiwxChallenge } from '@pennypost/contract/siwx-logins'
import { startNanoTransfer } from '@pennypost/contract/transfer-logins'
import { startNanoChallenge } from '@pennypost/contract/wallet-logins'
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatXno } from '../checkout/nano-payment.tsx'
import { errorMessage } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'
import { randomUuid } from '../random-uuid.ts'
import { Copyable } from '../ui/copyable.tsx'
import { Field, Form } from '../ui/form.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { WalletError, walletErrorMessage } from './browser-wallet.ts'
import { chooseWallet } from './choose-wallet.tsx'
import type { ProofProps } from './proof-handler.ts'

// The ways to prove that a wallet is yours. The handler decides what the proof is for: signing in, linking or confirming.

/** Proves a wallet in this browser by a signature. */
export function BrowserWalletProof({ handler, confirms }: ProofProps) {
  const [choice, setChoice] = useState<Children>()
  const [status, setStatus] = useState('')
  const prove = async () => {
    try {
      const wallet = await chooseWallet(setChoice)
      setChoice(undefined)
      setStatus('Connect your wallet to continue.')
      const address = await wallet.connect()
      const { challengeId, message } = await callApi(startSiwxChallenge, { body: { address, confirms } })
      setStatus('Sign in your wallet. This sends nothing and costs nothing.')
      await handler.signed({ challengeId, signature: await wallet.signText(address, message) })
      setStatus('')
    } catch (error) {
      setStatus(walletErrorMessage(error) ?? errorMessage(error))
    }
  }
  useEffect(() => {
    prove()
  }, [])
  return (
    <>
      <div class="card">{choice}</div>
      <p role="status">{status}</p>
    </>
  )
}

interface NanoChallenge {
  readonly challengeId: string
  readonly pollSecret: string
  readonly message: string
  readonly uri: string
  readonly account: string
}

/** Proves a Nano wallet by a signature, through a link or by copy and paste. */
export function NanoSignatureProof({ handler, confirms }: ProofProps) {
  const [challenge, setChallenge] = useState<NanoChallenge>()
  if (!challenge)
    return (
      <Form
        submit="Continue"
        send={async (fields) => {
          const account = String(fields.get('account')).trim()
          setChallenge({ ...(await callApi(startNanoChallenge, { body: { account, confirms } })), account })
        }}
      >
        {(errors) => (
          <Field label="Your Nano address" error={errors.account}>
            <input
              name="account"
              required
              maxlength={100}
              placeholder="nano_…"
              autocapitalize="none"
              autocomplete="off"
              spellcheck={false}
              ref={focus}
            />
          </Field>
        )}
      </Form>
    )
  const { challengeId, account, message, uri } = challenge
  return (
    <Polled
      words="Waiting for your wallet to sign. This sends nothing and costs nothing."
      isDone={() => handler.answered(challenge)}
    >
      <ScanCard uri={uri} words="Scan with a wallet that can sign in (such as Nautilus), or open it on this device." />
      <details>
        <summary>Sign by hand</summary>
        <Form
          submit="Use this signature"
          send={(fields) =>
            handler.signedNano({ challengeId, account, signature: String(fields.get('signature')).trim() })
          }
        >
          {(errors) => (
            <>
              <p class="hint">Works with any wallet that signs text. Sign this one and paste its signature here.</p>
              <Copyable name="Text" value={message} />
              <Field label="Signature" error={errors.signature}>
                <textarea name="signature" required rows={3} spellcheck={false} />
              </Field>
            </>
          )}
        </Form>
      </details>
    </Polled>
  )
}

const focus = (input: HTMLInputElement | null) => input?.focus()

type NanoTransfer = Awaited<ReturnType<typeof startTransfer>>
const startTransfer = (confirms: ProofProps['confirms']) =>
  callApi(startNanoTransfer, { body: { requestSecret: randomUuid() + randomUuid(), confirms } })

/** Proves a Nano wallet that can only pay, by a small payment that is sent back. */
export function NanoPaymentProof({ handler, confirms }: ProofProps) {
  const [transfer, setTransfer] = useState<NanoTransfer>()
  const [problem, setProblem] = useState<unknown>()
  useEffect(() => {
    startTransfer(confirms).then(setTransfer, setProblem)
  }, [])
  if (problem !== undefined)
    return (
      <p class="notice bad" role="alert">
        {errorMessage(problem)}
      </p>
    )
  if (!transfer) return <p>One moment…</p>
  const { uri, amountRaw, address, notice } = transfer
  return (
    <Polled words="Waiting for payment. It will be sent back." isDone={() => handler.paid(transfer)}>
      <p class="notice">{notice}</p>
      <ScanCard uri={uri} words="Scan with your wallet, or open it on this device." />
      <Copyable name="Amount" value={formatXno(amountRaw)} />
      <Copyable name="Address" value={address} />
    </Polled>
  )
}

const ScanCard = ({ uri, words }: { readonly uri: string; readonly words: string }) => (
  <div class="card scan">
    <QrCode text={uri} label="A code to scan with a Nano wallet" />
    <p class="hint">{words}</p>
    <a class="button" href={uri}>
      Open my wallet
    </a>
  </div>
)

const pollMs = 2000

interface PolledProps {
  readonly words: string
  readonly isDone: () => Promise<boolean>
  readonly children: Children
}

/** Shows instructions and polls until they are done, or until they are no longer on the page. */
function Polled({ words, isDone, children }: PolledProps) {
  const [status, setStatus] = useState(words)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    let isShown = true
    const poll = async () => {
      try {
        if (await isDone()) return
      } catch (error) {
        // Network errors are retried. A refusal is final.
        if (error instanceof RefusedError || error instanceof WalletError) {
          setStatus(walletErrorMessage(error) ?? errorMessage(error))
          return
        }
      }
      if (isShown) timer = setTimeout(poll, pollMs)
    }
    timer = setTimeout(poll, pollMs)
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [])
  return (
    <div class="card">
      {children}
      <p role="status">{status}</p>
    </div>
  )
}

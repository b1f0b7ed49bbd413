import { requestConfirmation } from '@pennypost/contract/confirmations'
import type { ConfirmedAction } from '@pennypost/contract/wallet-logins'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import type { Children } from '../jsx/markup.ts'
import { accountProofHandler, type WalletProof } from '../wallet/account-proof-handler.ts'
import { WalletOptions } from '../wallet/wallet-options.tsx'
import { Button } from './button.tsx'
import { CodeField, type FieldErrors, Form, fieldText } from './form.tsx'

/** The ways in which an account can confirm something. */
export interface ConfirmationWays {
  readonly email: string | null
  readonly hasWallet: boolean
}

interface ConfirmationProps {
  readonly ways: ConfirmationWays
  readonly purpose: ConfirmedAction
  readonly submit: string
  /** Sends the proof. Returns false while a payment that proves a wallet has not arrived. */
  readonly send: (proof: { readonly code: string } | WalletProof, fields: FormData) => Promise<boolean>
  /** Further fields beside the code. */
  readonly fields?: (errors: FieldErrors) => Children
}

/** Asks for a code by email or, without an email address, for a proof of a linked wallet. */
export function Confirmation({ ways: { email, hasWallet }, purpose, submit, send, fields }: ConfirmationProps) {
  const [isSent, setSent] = useState(false)
  const request = async () => {
    await callApi(requestConfirmation, { body: { purpose } })
    setSent(true)
  }
  if (email === null && !hasWallet)
    return (
      <p class="notice">
        To confirm that it is you, <a href="/settings/email">add an email address</a> or{' '}
        <a href="/settings/wallets">link a wallet</a> first.
      </p>
    )
  if (email === null)
    return (
      <>
        <p>Confirm with a wallet that is linked to your account.</p>
        <WalletOptions confirms={purpose} handler={accountProofHandler((proof) => send(proof, new FormData()))} />
      </>
    )
  if (!isSent)
    return (
      <p>
        <Button class="" action={request}>
          Email me a code
        </Button>
      </p>
    )
  return (
    <Form
      isBox
      submit={submit}
      send={(entered) => send({ code: fieldText(entered, 'code') }, entered)}
      actions={<Button action={request}>Send it again</Button>}
    >
      {(errors) => (
        <>
          <p>
            We emailed a code to <b>{email}</b>. It expires in ten minutes.
          </p>
          <CodeField error={errors.code} />
          {fields?.(errors)}
        </>
      )}
    </Form>
  )
}

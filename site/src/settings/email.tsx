import {
  changeAccountEmail,
  getAccountEmail,
  removeAccountEmail,
  resendAccountEmail,
  verifyAccountEmail,
} from '@pennypost/contract/account-email'
import { startSiteSession } from '@pennypost/contract/site-session'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { CodeField, Field, Form, fieldText } from '../ui/form.tsx'

export const loadEmail = () => callApi(getAccountEmail, {})

/** The account's email address, and a change of it that is not confirmed yet. */
export function Email({ first }: { readonly first: Awaited<ReturnType<typeof loadEmail>> }) {
  const [{ email, pendingEmail }, setEmail] = useState(first)
  const reload = async () => setEmail(await loadEmail())
  const change = async (fields: FormData) => {
    await callApi(changeAccountEmail, { body: { email: fieldText(fields, 'email') } })
    await reload()
  }
  const remove = async () => {
    if ((await confirmAction('Remove your email?', 'Remove')) === undefined) return
    await callApi(removeAccountEmail, {})
    await reload()
  }
  return (
    <>
      <p class="lead">
        {email ? (
          <>
            You sign in with <b>{email}</b>.
          </>
        ) : (
          'You have no email address. Add one to sign in and get notifications by email.'
        )}
      </p>
      {pendingEmail !== null && <Confirmation pendingEmail={pendingEmail} onConfirmed={reload} />}
      <h2>{email ? 'Change your email' : 'Add your email'}</h2>
      <Form key={pendingEmail ?? ''} submit="Send a code" send={change}>
        {(errors) => (
          <Field
            label="New address"
            hint="Nothing changes until you enter the code that we send there."
            error={errors.email}
          >
            <input name="email" type="email" required maxlength={320} autocomplete="email" />
          </Field>
        )}
      </Form>
      {email !== null && (
        <p>
          <Button class="text-button" action={remove}>
            Remove my email
          </Button>
        </p>
      )}
    </>
  )
}

interface ConfirmationProps {
  readonly pendingEmail: string
  readonly onConfirmed: () => Promise<void>
}

function Confirmation({ pendingEmail, onConfirmed }: ConfirmationProps) {
  const confirm = async (fields: FormData) => {
    const { session } = await callApi(verifyAccountEmail, { body: { code: fieldText(fields, 'code') } })
    if (session) {
      const { accessToken, refreshToken } = session
      await callApi(startSiteSession, { body: { accessToken, refreshToken } })
    }
    showToast('Your email is confirmed.')
    await onConfirmed()
  }
  const resend = async () => {
    await callApi(resendAccountEmail, {})
    showToast(`We emailed a new code to ${pendingEmail}.`)
  }
  return (
    <Form isBox submit="Confirm" send={confirm} actions={<Button action={resend}>Send it again</Button>}>
      {(errors) => (
        <>
          <p>
            We emailed a code to <b>{pendingEmail}</b>. Enter it to finish.
          </p>
          <CodeField error={errors.code} />
        </>
      )}
    </Form>
  )
}

import { changeAccountEmail, verifyAccountEmail } from '@pennypost/contract/account-email'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { endSession, startSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { CodeField, Field, Form } from '../ui/form.tsx'

type Step =
  | { readonly name: 'offer' }
  | { readonly name: 'email' }
  | { readonly name: 'code'; readonly email: string }
  | { readonly name: 'saved'; readonly email: string }

/** Offers a guest to keep what they bought beyond this browser: with an email, or the wallet that paid. */
export function SavePurchase() {
  const [step, setStep] = useState<Step>({ name: 'offer' })
  return (
    <section class="notice keep" id="keep" lang="en" aria-labelledby="keep-title">
      <h2 id="keep-title">{step.name === 'saved' ? 'Saved' : 'Read it anywhere'}</h2>
      <SaveStep step={step} go={setStep} />
    </section>
  )
}

interface SaveStepProps {
  readonly step: Step
  readonly go: (step: Step) => void
}

function SaveStep({ step, go }: SaveStepProps) {
  if (step.name === 'offer')
    return (
      <>
        <p>You paid without an account, so this post is saved in this browser only.</p>
        <div class="row">
          <Button class="small" action={() => go({ name: 'email' })}>
            Save it to an email
          </Button>
          <a class="button quiet-button small" href="/settings/wallets">
            Sign in with the wallet you paid from
          </a>
        </div>
      </>
    )
  if (step.name === 'email') return <EmailForm go={go} />
  if (step.name === 'code') return <CodeForm email={step.email} go={go} />
  return (
    <p role="status">
      Sign in with <b>{step.email}</b> on any device, and everything you bought is in your{' '}
      <a href="/library">library</a>.
    </p>
  )
}

const EmailForm = ({ go }: Pick<SaveStepProps, 'go'>) => (
  <Form
    submit="Email me a code"
    send={async (fields) => {
      const email = String(fields.get('email')).trim()
      await callApi(changeAccountEmail, { body: { email } })
      go({ name: 'code', email })
    }}
  >
    {(errors) => (
      <Field label="Email" error={errors.email}>
        <input type="email" name="email" required maxlength={320} autocomplete="email" ref={focus} />
      </Field>
    )}
  </Form>
)

const CodeForm = ({ email, go }: { readonly email: string } & Pick<SaveStepProps, 'go'>) => (
  <Form
    submit="Confirm"
    send={async (fields) => {
      const { session } = await callApi(verifyAccountEmail, { body: { code: String(fields.get('code')).trim() } })
      if (session) await startSession(session)
      go({ name: 'saved', email })
    }}
    actions={
      <>
        <Button class="text-button" action={() => go({ name: 'email' })}>
          Another email
        </Button>
        <Button class="text-button" action={signInElsewhere}>
          I already have an account
        </Button>
      </>
    }
  >
    {(errors) => (
      <>
        <p role="status">
          We emailed a code to <b>{email}</b>. Enter it to finish.
        </p>
        <CodeField error={errors.code} />
      </>
    )}
  </Form>
)

const focus = (input: HTMLInputElement | null) => input?.focus()

/** The email of an account gets no code here. The purchase stays in this browser until that account takes it over. */
async function signInElsewhere(): Promise<void> {
  await endSession()
  redirectToSignIn()
}

import { continueWithEmail, verifyContinuation } from '@pennypost/contract/continuations'
import { verifyLogin } from '@pennypost/contract/sessions'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { reasonIn } from '../redirect-to-sign-in.ts'
import { endSession, signIn } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { CodeField, Field, Form } from '../ui/form.tsx'
import { signInHandler } from '../wallet/sign-in-handler.ts'
import { WalletOptions } from '../wallet/wallet-options.tsx'

// One form for signing in and signing up. Every way ends with a pair of tokens for `signIn`.

type Step =
  | { readonly name: 'guest' }
  | { readonly name: 'email'; readonly email?: string }
  | { readonly name: 'code'; readonly email: string; readonly continuationId: string }
  /** A link in an email was opened. Links that have no id are from emails for programs. */
  | { readonly name: 'link'; readonly email: string; readonly token: string; readonly continuationId: string | null }

interface SignInProps {
  /** The parameters in the fragment of this page's URL. */
  readonly link: URLSearchParams
  readonly isGuest: boolean
}

export function SignIn({ link, isGuest }: SignInProps) {
  const [step, go] = useState<Step>(() => firstStep(link, isGuest))
  const reason = reasonIn(location.search)
  return (
    <>
      {reason !== undefined && <p class="notice">{reason}</p>}
      <CurrentStep step={step} go={go} invitation={link.get('invitation') ?? undefined} />
    </>
  )
}

function firstStep(link: URLSearchParams, isGuest: boolean): Step {
  const token = link.get('token')
  if (isGuest) return { name: 'guest' }
  if (token === null) return { name: 'email' }
  return { name: 'link', email: link.get('email') ?? '', token, continuationId: link.get('continuation') }
}

interface StepProps {
  readonly go: (step: Step) => void
}

function CurrentStep({ step, go, invitation }: StepProps & { step: Step; invitation: string | undefined }) {
  if (step.name === 'guest') return <GuestChoices go={go} />
  if (step.name === 'code') return <CodeForm {...step} go={go} />
  if (step.name === 'link') return <LinkForm {...step} go={go} />
  return (
    <>
      <EmailForm email={step.email ?? ''} invitation={invitation} go={go} />
      <h2 class="or">Or with a wallet</h2>
      <WalletOptions handler={signInHandler} />
    </>
  )
}

/** A guest already has an account, so an email or a wallet is added to it instead of signing in. */
const GuestChoices = ({ go }: StepProps) => (
  <div class="card">
    <p>You bought something in this browser without an account. Keep it:</p>
    <a class="button" href="/settings/email">
      Save it to an email
    </a>
    <a class="button quiet-button" href="/settings/wallets">
      Link a wallet
    </a>
    <Button
      class="quiet-button"
      action={async () => {
        await endSession()
        go({ name: 'email' })
      }}
    >
      Sign in to another account
    </Button>
    <p class="hint">What you bought stays in this browser, and your library can move it into the account.</p>
  </div>
)

interface EmailFormProps extends StepProps {
  readonly email: string
  readonly invitation: string | undefined
}

function EmailForm({ email: first, invitation, go }: EmailFormProps) {
  const hasTerms = document.querySelector('footer a[href="/terms"]') !== null
  return (
    <Form
      submit="Continue with email"
      send={async (fields) => {
        const email = String(fields.get('email')).trim()
        const code = String(fields.get('invitation') ?? '').trim()
        const { continuationId } = await callApi(continueWithEmail, {
          body: { email, acceptedTerms: true, ...(code !== '' && { invitation: code }) },
        })
        go({ name: 'code', email, continuationId })
      }}
    >
      {(errors, refusal) => (
        <>
          <Field label="Email" error={errors.email}>
            <input
              type="email"
              name="email"
              required
              maxlength={320}
              autocomplete="email"
              defaultValue={first}
              ref={focusOnce}
            />
          </Field>
          {(invitation !== undefined || refusal === 'invitation-required') && (
            <Field
              label="Invitation code"
              hint="New accounts need an invitation here. If you have an account, leave it empty."
              error={errors.invitation}
            >
              <input
                name="invitation"
                maxlength={100}
                autocomplete="off"
                spellcheck={false}
                defaultValue={invitation ?? ''}
              />
            </Field>
          )}
          <p class="hint">
            We email you a code: no password. If you are new here, this creates your account, and you take
            responsibility for what you publish
            {hasTerms && (
              <>
                {' '}
                and accept the <a href="/terms">terms</a>
              </>
            )}
            .
          </p>
        </>
      )}
    </Form>
  )
}

const CodeForm = ({ email, continuationId, go }: StepProps & { email: string; continuationId: string }) => (
  <Form
    submit="Continue"
    send={async (fields) => {
      const code = String(fields.get('code')).trim()
      await signIn(await callApi(verifyContinuation, { params: { continuationId }, body: { code } }))
    }}
    actions={
      <Button class="text-button" action={() => go({ name: 'email', email })}>
        Another email
      </Button>
    }
  >
    {(errors) => (
      <>
        <p role="status">
          We emailed a code to <b>{email}</b>. It is valid for ten minutes.
        </p>
        <CodeField error={errors.code} />
      </>
    )}
  </Form>
)

type LinkFormProps = StepProps & Omit<Extract<Step, { name: 'link' }>, 'name'>

/** Signs in only when asked, because some mail programs open every link. */
const LinkForm = ({ email, token, continuationId, go }: LinkFormProps) => (
  <Form
    submit="Sign in"
    send={async () => {
      const pair =
        continuationId === null
          ? await callApi(verifyLogin, { body: { email, code: token } })
          : await callApi(verifyContinuation, { params: { continuationId }, body: { code: token } })
      await signIn(pair)
    }}
    actions={
      <Button class="text-button" action={() => go({ name: 'email' })}>
        Another email
      </Button>
    }
  >
    {() => (
      <p>
        Sign in as <b>{email}</b>?
      </p>
    )}
  </Form>
)

const focusOnce = (input: HTMLInputElement | null) => input?.focus()

import { createTipCheckout } from '@pennypost/contract/checkout'
import { RefusedError } from '@pennypost/contract/client'
import { getPublicPost } from '@pennypost/contract/discovery'
import { parseAmount } from '@pennypost/contract/money'
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { currentSession, fetchSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Form } from '../ui/form.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'
import { NanoPayment, type StartedPayment } from './nano-payment.tsx'
import { type PendingTip, pendingTip, removePendingTip, savePendingTip } from './purchase-storage.ts'
import { startPayment } from './start-payment.ts'

interface TipTarget {
  readonly postId: string
  /** A comment on that post, and its author's name. */
  readonly comment?: { readonly id: string; readonly name: string } | undefined
}

const defaultAmounts = [0.1, 0.5, 1]

/** Tips the author of a post or of a comment with Nano, with an optional message. Nobody needs an account for it. */
export async function openTipDialog(tipped: TipTarget): Promise<void> {
  const { comment, postId } = tipped
  const [{ author, tipping }, { account }] = await Promise.all([
    callApi(getPublicPost, { params: { postId } }),
    currentSession(),
  ])
  const stored = pendingTip(postId)
  const isSame = stored && stored.account === (account?.id ?? null) && stored.comment?.id === comment?.id
  const dialog = openDialog(
    { 'aria-labelledby': 'tip-title', class: 'tip' },
    <>
      <h2 id="tip-title">
        Tip <Name of={comment?.name ?? author.name} />
      </h2>
      <TipSteps
        tipped={tipped}
        account={account?.id ?? null}
        amounts={comment ? defaultAmounts : (tipping?.amounts ?? defaultAmounts)}
        first={isSame ? stored : undefined}
      />
    </>,
  )
  // A reload comes back to the payment; closing the dialog ends that. Money that was sent still arrives.
  dialog.addEventListener('close', () => removePendingTip(postId))
}

interface TipStepsProps {
  readonly tipped: TipTarget
  readonly account: string | null
  readonly amounts: readonly number[]
  /** A tip that was started before. */
  readonly first: PendingTip | undefined
}

/** First how much, then the payment. */
function TipSteps({ tipped, account, amounts, first }: TipStepsProps) {
  const { postId } = tipped
  const [started, setStarted] = useState<StartedPayment>()
  const [isResuming, setResuming] = useState(first !== undefined)
  const [problem, setProblem] = useState<unknown>()
  const start = async (tip: PendingTip) => {
    // Stored before it is sent, so that a reload comes back to the same payment.
    savePendingTip(postId, tip)
    try {
      setStarted(await startTip(postId, tip))
    } catch (error) {
      if (error instanceof RefusedError && error.status < 500) removePendingTip(postId)
      throw error
    }
  }
  const chooseAgain = () => {
    removePendingTip(postId)
    setStarted(undefined)
  }
  useEffect(() => {
    if (first)
      start(first)
        .catch(setProblem)
        .finally(() => setResuming(false))
  }, [])
  if (isResuming) return <p>One moment…</p>
  if (started)
    return (
      <>
        <NanoPayment
          key={started.checkout.id}
          started={started}
          usd={null}
          onPaid={() => removePendingTip(postId)}
          onRenew={chooseAgain}
        />
        <CloseButton />
      </>
    )
  return (
    <>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {errorMessage(problem)}
        </p>
      )}
      <TipForm
        amounts={amounts}
        send={async (amountRaw, message) => {
          setProblem(undefined)
          await start({ account, key: randomUuid(), comment: tipped.comment, amountRaw, message })
        }}
      />
    </>
  )
}

async function startTip(postId: string, { account, key, comment, amountRaw, message }: PendingTip) {
  // With an expired access token it would become a guest's tip.
  if (account !== null) await fetchSession()
  const target = comment ? { commentId: comment.id } : { postId }
  return startPayment(createTipCheckout, { idempotencyKey: key, body: { ...target, amountRaw, message } })
}

interface TipFormProps {
  readonly amounts: readonly number[]
  readonly send: (amountRaw: string, message: string | null) => Promise<unknown>
}

function TipForm({ amounts, send }: TipFormProps) {
  const [amount, setAmount] = useState(String(amounts[0]))
  const sendForm = (fields: FormData) =>
    send(String(parseAmount('XNO', amount.trim()) ?? ''), String(fields.get('message')).trim() || null)
  return (
    <Form submit="Continue" send={sendForm} actions={<CancelButton />}>
      {(errors) => (
        <>
          <div class="row choices" role="group" aria-label="Amounts">
            {amounts.map((each) => (
              <Button
                key={each}
                class="quiet-button small"
                aria-pressed={amount === String(each)}
                action={() => setAmount(String(each))}
              >
                {each} XNO
              </Button>
            ))}
          </div>
          <Field label="Amount in XNO" error={errors.amountRaw}>
            <input
              name="amountRaw"
              inputmode="decimal"
              required
              value={amount}
              onInput={({ currentTarget }) => setAmount(currentTarget.value)}
              autocomplete="off"
              pattern="[0-9]+([.][0-9]+)?"
              title="An amount such as 0.25"
              aria-invalid={errors.amountRaw !== undefined}
            />
          </Field>
          <Field label="Message (public)" error={errors.message}>
            <input name="message" maxlength={280} autocomplete="off" />
          </Field>
        </>
      )}
    </Form>
  )
}

/** Closes the dialog that it is in. */
const CancelButton = () => (
  <button type="button" class="quiet-button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
    Cancel
  </button>
)

import { RefusedError } from '@pennypost/contract/client'
import { useState } from 'preact/hooks'
import { errorMessage, fieldErrors } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'

interface FormProps {
  readonly submit: string
  readonly send: (fields: FormData) => Promise<unknown>
  /** The fields. They get the errors of the last attempt, by the name of their control, and the code of its refusal. */
  readonly children: (errors: FieldErrors, refusal: string | undefined) => Children
  /** Content beside the button. */
  readonly actions?: Children
  /** With a border, for one of several forms on a page. */
  readonly isBox?: boolean
}

export type FieldErrors = Readonly<Record<string, string | undefined>>

/** A form that cannot be sent twice at the same time, and shows errors beside the fields they belong to. */
export function Form({ submit, send, children, actions, isBox = false }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const press = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    const form = event.currentTarget as HTMLFormElement
    setBusy(true)
    setError(undefined)
    try {
      await send(new FormData(form))
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const errors = Object.fromEntries(
    fieldErrors(error).map(({ field, message }) => [
      field.split('.')[0],
      `${message[0]?.toUpperCase()}${message.slice(1)}.`,
    ]),
  )
  return (
    <form class={isBox ? 'card box' : 'card'} onSubmit={press}>
      {children(errors, error instanceof RefusedError ? error.code : undefined)}
      {error !== undefined && (
        <p class="notice bad" role="alert">
          {errorMessage(error)}
        </p>
      )}
      <div class="row">
        {actions}
        {/* Not `disabled`: the browser would take the focus away. */}
        <button type="submit" aria-disabled={isBusy || undefined}>
          {submit}
        </button>
      </div>
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  /** The control. */
  readonly children: Children
}

/** A control with its label. Errors of this field are shown below it. */
export const Field = ({ label, hint, error, children }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
  <label class="field">
    {label}
    {children}
    {hint !== undefined && <span class="hint">{hint}</span>}
    {error !== undefined && <span class="wrong">{error}</span>}
  </label>
)

/** The field for a six-digit code from an email. */
export const CodeField = ({ error }: { readonly error: string | undefined }) => (
  <Field label="Code" error={error}>
    <input
      name="code"
      class="code-input"
      ref={focus}
      required
      inputmode="numeric"
      autocomplete="one-time-code"
      pattern="[0-9]{6}"
      maxlength={6}
      title="Six digits"
    />
  </Field>
)

const focus = (input: HTMLInputElement | null): void => input?.focus()

/** The text of a field, without spaces around it. */
export const fieldText = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim()

import { oneLine } from '../clean-text.ts'

interface SubscribeFormProps {
  /** The creator's name. */
  readonly name: string
  /** Readers who are signed in subscribe with the address of their account. */
  readonly needsEmail?: boolean
  readonly onSubmit?: (event: SubmitEvent) => unknown
  readonly isBusy?: boolean
  readonly error?: string | undefined
}

/** Subscribing to a creator's new posts by email. */
export const SubscribeForm = ({ name, needsEmail = true, onSubmit, isBusy = false, error }: SubscribeFormProps) => (
  <form class="subscribe" lang="en" onSubmit={onSubmit} aria-label="Get new posts by email">
    <p>
      <b>Get new posts by email</b>
      <br />
      <span class="quiet">{oneLine(name)} will see your address. Unsubscribe at any time with one click.</span>
    </p>
    <div class="row">
      {needsEmail && (
        <input
          name="email"
          type="email"
          required
          maxlength={320}
          autocomplete="email"
          placeholder="you@example.org"
          aria-label="Email address"
        />
      )}
      {/* Not `disabled` while it is busy: the browser would take the focus away. */}
      <button type="submit" disabled={!onSubmit} aria-disabled={isBusy || undefined}>
        Subscribe
      </button>
    </div>
    {error !== undefined && (
      <p class="notice bad" role="alert">
        {error}
      </p>
    )}
  </form>
)

interface SubscribePlaceProps {
  readonly handle: string
  readonly name: string
}

/** Where a page has the form. Its script makes it work. */
export const SubscribePlace = ({ handle, name }: SubscribePlaceProps) => (
  <div data-subscribe="" data-props={JSON.stringify({ handle, name: oneLine(name) })}>
    <SubscribeForm name={name} />
  </div>
)

import { useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'
import { showToast } from '../show-toast.ts'

interface ButtonProps {
  readonly action: () => unknown
  /** Its style. */
  readonly class?: string
  /** While it cannot be used at all. */
  readonly isDisabled?: boolean
  readonly 'aria-label'?: string
  readonly 'aria-pressed'?: boolean
  readonly children: Children
}

/**
 * A button that does nothing while its action runs. Errors are shown as a toast. It is not `disabled` meanwhile: the browser
 * would take the focus away, and a dialog that the action opened could not give it back.
 */
export function Button({
  action,
  class: style = 'quiet-button small',
  isDisabled = false,
  children,
  ...aria
}: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      await action()
    } catch (error) {
      showToast(errorMessage(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      class={style}
      disabled={isDisabled}
      aria-disabled={isBusy || undefined}
      onClick={press}
      {...aria}
    >
      {children}
    </button>
  )
}

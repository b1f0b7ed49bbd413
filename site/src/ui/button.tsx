import { useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'
import { showToast } from '../show-toast.ts'

interface ButtonProps {
  readonly action: () => unknown
  /** Its style. */
  readonly class?: string
  readonly 'aria-label'?: string
  readonly 'aria-pressed'?: boolean
  readonly children: Children
}

/** A button that is disabled while its action runs. Errors are shown as a toast. */
export function Button({ action, class: style = 'quiet-button small', children, ...aria }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
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
    <button type="button" class={style} disabled={isBusy} onClick={press} {...aria}>
      {children}
    </button>
  )
}

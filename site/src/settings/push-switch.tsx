import { useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import { disablePush, enablePush, type PushState, pushState } from '../push.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'

const descriptions: Readonly<Record<PushState, string>> = {
  impossible: 'This browser does not support push notifications.',
  forbidden: 'Push notifications from this site are blocked. You can allow them in the settings of your browser.',
  off: 'Push notifications are off in this browser.',
  on: 'This browser shows mentions and replies, even while the site is closed.',
}

interface PushSwitchProps {
  readonly first: PushState
  readonly onEnabled: () => Promise<void>
}

/** Turns push messages to this browser on and off. It asks for permission only when pressed. */
export function PushSwitch({ first, onEnabled }: PushSwitchProps) {
  const [state, setState] = useState(first)
  const isOn = state === 'on'
  const toggle = async () => {
    setState(isOn ? await disablePush() : await tryEnable())
    if (!isOn) await onEnabled()
  }
  return (
    <div class="row" data-push="">
      <p class="grow" role="status">
        {descriptions[state]}
      </p>
      {(isOn || state === 'off') && <Button action={toggle}>{isOn ? 'Turn off' : 'Turn on'}</Button>}
    </div>
  )
}

/** Replaces the browser's own error message, which is written for programmers. */
async function tryEnable(): Promise<PushState> {
  try {
    return await enablePush()
  } catch (error) {
    const isBrowserError = error instanceof DOMException
    showToast(
      isBrowserError ? "This browser's push service could not be reached. Try again later." : errorMessage(error),
    )
    return pushState()
  }
}

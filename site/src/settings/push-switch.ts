import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { button } from '../form.ts'
import { disablePush, enablePush, type PushState, pushState } from '../push.ts'
import { showToast } from '../show-toast.ts'

const words: Readonly<Record<PushState, string>> = {
  impossible: 'This browser takes no messages from sites that are not open.',
  forbidden: 'This browser forbids messages from this site. Its own settings can allow them again.',
  off: 'This browser is not told anything while the site is closed.',
  on: 'This browser is told of mentions and answers, also while the site is closed.',
}

/** Turns push messages to this browser on and off. It asks for permission only when pressed. */
export async function pushSwitch(switched: () => Promise<unknown>): Promise<HTMLElement> {
  const place = h('div', { class: 'row', 'data-push': true })
  const draw = (state: PushState) => {
    const isOn = state === 'on'
    const press = button(isOn ? 'Stop it here' : 'Tell this browser', async () => {
      draw(isOn ? await disablePush() : await tryEnable())
      if (!isOn) await switched()
    })
    place.replaceChildren(h('p', { class: 'grow', role: 'status' }, words[state]))
    if (isOn || state === 'off') place.append(press)
  }
  draw(await pushState())
  return place
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

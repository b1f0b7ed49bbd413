import type { ImageOperation } from '@pennypost/contract/images'
import { h } from './dom.ts'
import { errorMessage } from './error-message.ts'
import { button } from './form.ts'
import { fetchWithProgress, uploadStateLabel, waitForScreening } from './upload.ts'

/** Uploads an image and waits for its screening. The previous image stays until then. */
export function imagePicker(
  words: string,
  send: (body: FormData, fetcher: typeof fetch) => Promise<ImageOperation>,
  cleared: () => Promise<void>,
): HTMLElement {
  const input = h('input', {
    type: 'file',
    accept: 'image/png,image/jpeg,image/webp,image/gif',
    class: 'visually-hidden',
    tabindex: '-1',
    'aria-hidden': 'true',
  })
  const state = h('p', { class: 'hint', role: 'status' }, 'PNG, JPEG, WebP or GIF, 2 MB')
  const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Sent' })
  const showState = (label: string) => {
    state.textContent = label
  }
  input.addEventListener('change', async () => {
    const [file] = input.files ?? []
    if (!file) return
    const body = new FormData()
    body.append('file', file)
    bar.hidden = false
    try {
      const sent = await send(
        body,
        fetchWithProgress((part) => {
          bar.value = part
        }),
      )
      const { safety } = await waitForScreening(sent, showState)
      showState(
        safety.state === 'cleared' ? 'It is shown.' : `${uploadStateLabel(safety.state)}. ${safety.lastError ?? ''}`,
      )
      if (safety.state === 'cleared') await cleared()
    } catch (error) {
      showState(errorMessage(error))
    } finally {
      bar.hidden = true
      input.value = ''
    }
  })
  return h(
    'div',
    {},
    button(words, () => input.click()),
    input,
    bar,
    state,
  )
}

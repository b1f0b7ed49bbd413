import { cancelUpload, type ImageOperation, uploadPostImage } from '@pennypost/contract/images'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { toHex } from '../to-hex.ts'
import { fetchWithProgress, uploadStateLabel, waitForScreening } from '../upload.ts'
import type { Draft } from './draft.ts'

const accepted = /^image\/(png|jpeg|webp|gif)$/

/** Accepts pasted, dropped or chosen images. Each is put into the text immediately and shown once it has been screened. */
export function acceptImages(input: HTMLTextAreaElement, draft: Draft, changed: () => void): HTMLElement {
  const list = h('ul', { class: 'uploads', 'aria-label': 'Images on their way' })
  const picker = h('input', {
    type: 'file',
    multiple: true,
    accept: 'image/png,image/jpeg,image/webp,image/gif',
    class: 'visually-hidden',
    tabindex: '-1',
    'aria-hidden': 'true',
  })
  const take = (files: Iterable<File>) => {
    for (const file of files) if (accepted.test(file.type)) void send(file)
  }
  const send = async (file: File) => {
    const key = toHex(crypto.getRandomValues(new Uint8Array(6)))
    const mark = `![${file.name.replace(/\.[^.]+$/, '').replaceAll(/[[\]]/g, '')}](image:${key})`
    insertText(input, `\n${mark}\n`)
    changed()
    const state = h('span', { class: 'hint', role: 'status' }, 'Sending…')
    const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Sent' })
    const line = h('li', {}, file.name, bar, state)
    list.append(line)
    const removeMark = () => {
      input.value = input.value.replace(mark, '')
      changed()
    }
    try {
      const { safety } = await waitForScreening(await upload(file, key, draft, bar), (words) => {
        state.textContent = words
      })
      if (safety.state === 'cleared') {
        line.remove()
        await draft.reread()
        return changed()
      }
      removeMark()
      state.textContent = `${uploadStateLabel(safety.state)}. ${safety.lastError ?? ''}`
      await callApi(cancelUpload, { params: { operationId: safety.operationId } })
    } catch (error) {
      removeMark()
      state.textContent = errorMessage(error)
    }
    bar.remove()
  }

  input.addEventListener('paste', (event) => take(event.clipboardData?.files ?? []))
  input.addEventListener('dragover', (event) => {
    event.preventDefault()
    input.classList.add('dropping')
  })
  for (const name of ['dragleave', 'drop']) input.addEventListener(name, () => input.classList.remove('dropping'))
  input.addEventListener('drop', (event) => {
    if ((event.dataTransfer?.files.length ?? 0) === 0) return
    event.preventDefault()
    take(event.dataTransfer!.files)
  })
  picker.addEventListener('change', () => take([...(picker.files ?? [])]))
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'hint' },
      'Markdown. Paste or drop an image, or ',
      h('button', { type: 'button', class: 'text-button', onclick: () => picker.click() }, 'choose one'),
      '.',
    ),
    picker,
    list,
  )
}

/** As if it had been typed, so that it can be undone with Ctrl+Z. No other way does that in a text area. */
function insertText(input: HTMLTextAreaElement, text: string): void {
  input.focus()
  if (!document.execCommand('insertText', false, text))
    input.setRangeText(text, input.selectionStart, input.selectionEnd, 'end')
}

/** Saves the text with the image's key first, so that the image finds its place when screening ends. */
async function upload(file: File, key: string, draft: Draft, bar: HTMLProgressElement): Promise<ImageOperation> {
  await draft.save()
  const body = new FormData()
  body.append('file', file)
  return callApi(
    uploadPostImage,
    {
      params: { postId: draft.post.id },
      query: { intent: 'content' },
      headers: { 'x-post-revision': draft.post.updatedAt, 'x-upload-target-key': key },
      idempotencyKey: randomUuid(),
      body,
    },
    fetchWithProgress((part) => {
      bar.value = part
    }),
  )
}

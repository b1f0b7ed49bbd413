import { cancelUpload, type ImageOperation, uploadPostImage } from '@pennypost/contract/images'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { toHex } from '../to-hex.ts'
import { fetchWithProgress, uploadStateLabel, waitForScreening } from '../upload.ts'
import type { Draft } from './draft.ts'

const accepted = /^image\/(png|jpeg|webp|gif)$/

/** Takes images that are pasted, dropped or chosen: each stands in the text at once, and is shown once it was screened. */
export function acceptImages(input: HTMLTextAreaElement, draft: Draft, written: () => void): HTMLElement {
  const list = h('ul', { class: 'uploads', 'aria-label': 'Images on their way' })
  const picker = h('input', {
    type: 'file',
    multiple: true,
    accept: 'image/png,image/jpeg,image/webp,image/gif',
    class: 'unseen',
    tabindex: '-1',
    'aria-hidden': 'true',
  })
  const take = (files: Iterable<File>) => {
    for (const file of files) if (accepted.test(file.type)) void send(file)
  }
  const send = async (file: File) => {
    const key = toHex(crypto.getRandomValues(new Uint8Array(6)))
    const mark = `![${file.name.replace(/\.[^.]+$/, '').replaceAll(/[[\]]/g, '')}](image:${key})`
    input.setRangeText(`\n${mark}\n`, input.selectionStart, input.selectionEnd, 'end')
    written()
    const state = h('span', { class: 'hint', role: 'status' }, 'Sending…')
    const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Sent' })
    const line = h('li', {}, file.name, bar, state)
    list.append(line)
    const takeBack = () => {
      input.value = input.value.replace(mark, '')
      written()
    }
    try {
      const { safety } = await waitForScreening(await upload(file, key, draft, bar), (words) => {
        state.textContent = words
      })
      if (safety.state === 'cleared') {
        line.remove()
        await draft.reread()
        return written()
      }
      takeBack()
      state.textContent = `${uploadStateLabel(safety.state)}. ${safety.lastError ?? ''}`
      await callApi(cancelUpload, { params: { operationId: safety.operationId } })
    } catch (error) {
      takeBack()
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

/** The text with the image's key is saved first: then the image knows its place as soon as it is clear. */
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

import {
  completeAttachment,
  listAttachments,
  removeAttachment,
  reserveAttachment,
  transportAttachment,
} from '@pennypost/contract/attachments'
import type { OwnedAttachment } from '@pennypost/contract/owned-attachment'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { button } from '../form.ts'
import { formatSize } from '../format.ts'
import { randomUuid } from '../random-uuid.ts'
import { toHex } from '../to-hex.ts'
import { uploadStateLabel } from '../upload.ts'
import type { Draft } from './draft.ts'

const partBytes = 5_242_880
const pollMs = 2000

/** The ZIP files of a post: uploaded in parts, screened, then available to buyers. */
export function attachmentList(draft: Draft): HTMLElement {
  const list = h('ul', { class: 'uploads' })
  const state = h('p', { class: 'hint', role: 'status' })
  const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Sent' })
  const picker = h('input', {
    type: 'file',
    accept: '.zip,application/zip',
    class: 'visually-hidden',
    tabindex: '-1',
    'aria-hidden': 'true',
  })
  const params = { postId: draft.post.id }

  let known = ''
  const redraw = async (): Promise<void> => {
    const manifest = await callApi(listAttachments, { params })
    const shown = manifest.attachments.filter((zip) => zip.state === 'pending' || zip.state === 'ready')
    list.replaceChildren(...shown.map(item))
    // The state of an attachment decides whether the post can be published.
    const states = shown.map(({ id, state: its }) => id + its).join()
    if (states !== known) await draft.reread()
    known = states
    // Poll while one is being screened.
    if (
      shown.some(
        ({ state: its, safety }) => its === 'pending' && ['queued', 'checking', 'cleared'].includes(safety.state),
      )
    )
      setTimeout(redraw, pollMs)
  }
  const item = (zip: OwnedAttachment) =>
    h(
      'li',
      {},
      h('span', {}, h('b', {}, zip.filename), ` ${formatSize(zip.sizeBytes)}`),
      h(
        'span',
        { class: 'row apart' },
        h(
          'span',
          { class: zip.state === 'ready' ? 'badge good' : 'badge' },
          zip.state === 'ready' ? 'Ready' : uploadStateLabel(zip.safety.state),
        ),
        button(
          'Remove',
          async () => {
            await draft.save()
            await callApi(removeAttachment, {
              params: { ...params, assetId: zip.id },
              headers: { 'x-post-revision': draft.post.updatedAt },
            })
            await redraw()
          },
          'text-button',
        ),
      ),
      zip.safety.lastError !== null && h('span', { class: 'hint' }, zip.safety.lastError),
    )

  picker.addEventListener('change', async () => {
    const [file] = picker.files ?? []
    if (!file) return
    bar.hidden = false
    try {
      await send(file, draft, (words, part) => {
        state.textContent = words
        bar.value = part
      })
      state.textContent = ''
    } catch (error) {
      state.textContent = errorMessage(error)
    } finally {
      bar.hidden = true
      picker.value = ''
    }
    await redraw()
  })
  void redraw()
  return h(
    'div',
    {},
    button('Add a ZIP', () => picker.click()),
    picker,
    h('p', { class: 'hint' }, 'Up to 10 MB, for those who buy the Post.'),
    bar,
    state,
    list,
  )
}

/** Reserves the attachment, uploads its parts and completes it. */
async function send(file: File, draft: Draft, tell: (words: string, part: number) => void): Promise<void> {
  tell('Reading…', 0)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const sha256 = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  await draft.save()
  const { attachment } = await callApi(reserveAttachment, {
    params: { postId: draft.post.id },
    headers: { 'x-post-revision': draft.post.updatedAt },
    idempotencyKey: randomUuid(),
    body: { filename: file.name, sizeBytes: bytes.length, sha256 },
  })
  const params = { postId: draft.post.id, operationId: attachment.operation.id }
  const parts = Math.max(1, Math.ceil(bytes.length / partBytes))
  for (let partNumber = 1; partNumber <= parts; partNumber += 1) {
    tell(`Sending part ${partNumber} of ${parts}…`, (partNumber - 1) / parts)
    const { transfer } = await callApi(transportAttachment, { params, body: { partNumber } })
    if (!transfer) continue
    await sendPart(transfer, bytes.subarray(transfer.offset, transfer.offset + transfer.length))
  }
  tell('All is sent. It will be checked.', 1)
  await callApi(completeAttachment, { params, body: {} })
}

interface Transfer {
  readonly url: string
  readonly headers: { readonly 'x-part-capability': string }
}

/** Uploads one part to this service. The capability is its only credential; no cookie may go with it. */
async function sendPart({ url, headers }: Transfer, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { pathname, search } = new URL(url, location.origin)
  const reply = await fetch(pathname + search, {
    method: 'PUT',
    credentials: 'omit',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  if (!reply.ok) throw new Error(`a part was refused with ${reply.status}`)
}

import {
  completeAttachment,
  listAttachments,
  removeAttachment,
  reserveAttachment,
  transportAttachment,
} from '@pennypost/contract/attachments'
import type { OwnedAttachment } from '@pennypost/contract/owned-attachment'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import { formatSize } from '../format.ts'
import { randomUuid } from '../random-uuid.ts'
import { toHex } from '../to-hex.ts'
import { Button } from '../ui/button.tsx'
import { uploadStateLabel } from '../upload.ts'
import type { Draft } from './draft.ts'

const partBytes = 5_242_880
const pollMs = 2000

interface AttachmentsProps {
  readonly draft: Draft
  /** Files that were dropped into the text. */
  readonly dropped: readonly File[]
}

/** The ZIP files of a post: uploaded in parts, screened, then available to buyers. */
export function Attachments({ draft, dropped }: AttachmentsProps) {
  const params = { postId: draft.post.id }
  const picker = useRef<HTMLInputElement>(null)
  const knownStates = useRef('')
  const [zips, setZips] = useState<readonly OwnedAttachment[]>([])
  const [state, setState] = useState('')
  // How much was sent, from 0 to 1; undefined if nothing is being sent.
  const [progress, setProgress] = useState<number>()
  const load = async () => {
    const { attachments } = await callApi(listAttachments, { params })
    const shown = attachments.filter((zip) => zip.state === 'pending' || zip.state === 'ready')
    setZips(shown)
    // The state of a ZIP decides whether the post can be published.
    const states = shown.map((zip) => zip.id + zip.state).join()
    if (states !== knownStates.current) await draft.reread()
    knownStates.current = states
  }
  const tryToLoad = () => load().catch((error: unknown) => setState(errorMessage(error)))
  const send = async (file: File | undefined) => {
    if (!file) return
    try {
      await upload(file, draft, (words, part) => {
        setState(words)
        setProgress(part)
      })
      setState('')
    } catch (error) {
      setState(errorMessage(error))
    } finally {
      setProgress(undefined)
      picker.current!.value = ''
    }
    await tryToLoad()
  }
  useEffect(() => void tryToLoad(), [])
  useEffect(() => {
    const sendAll = async () => {
      for (const file of dropped) await send(file)
    }
    void sendAll()
  }, [dropped])
  const isWaiting = zips.some(
    (zip) => zip.state === 'pending' && ['queued', 'checking', 'cleared'].includes(zip.safety.state),
  )
  // Polls while one is being screened.
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(tryToLoad, pollMs)
    return () => clearInterval(timer)
  }, [isWaiting])
  return (
    <section aria-label="ZIP files">
      <h2>ZIP files</h2>
      <Button action={() => picker.current!.click()}>Add a ZIP file</Button>
      <input
        type="file"
        ref={picker}
        accept=".zip,application/zip"
        hidden
        onChange={() => send(picker.current!.files?.[0])}
      />
      <p class="hint">Up to 10 MB. Only buyers can download it.</p>
      {progress !== undefined && <progress max={1} value={progress} aria-label="Uploaded" />}
      <p class="hint" role="status">
        {state}
      </p>
      <ul class="uploads">
        {zips.map((zip) => (
          <li key={zip.id}>
            <span>
              <b>{zip.filename}</b> {formatSize(zip.sizeBytes)}
            </span>
            <span class="row apart">
              <span class={zip.state === 'ready' ? 'badge good' : 'badge'}>
                {zip.state === 'ready' ? 'Ready' : uploadStateLabel(zip.safety.state)}
              </span>
              <Button
                class="text-button"
                action={async () => {
                  await draft.afterSaving((headers) =>
                    callApi(removeAttachment, { params: { ...params, assetId: zip.id }, headers }),
                  )
                  await load()
                }}
              >
                Remove
              </Button>
            </span>
            {zip.safety.lastError !== null && <span class="hint">{zip.safety.lastError}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Reserves the attachment, uploads its parts and completes it. */
async function upload(file: File, draft: Draft, onProgress: (words: string, part: number) => void): Promise<void> {
  onProgress('Reading…', 0)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const sha256 = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  const { attachment } = await draft.afterSaving((headers) =>
    callApi(reserveAttachment, {
      params: { postId: draft.post.id },
      headers,
      idempotencyKey: randomUuid(),
      body: { filename: file.name, sizeBytes: bytes.length, sha256 },
    }),
  )
  const params = { postId: draft.post.id, operationId: attachment.operation.id }
  const parts = Math.max(1, Math.ceil(bytes.length / partBytes))
  for (let partNumber = 1; partNumber <= parts; partNumber += 1) {
    onProgress(`Uploading part ${partNumber} of ${parts}…`, (partNumber - 1) / parts)
    const { transfer } = await callApi(transportAttachment, { params, body: { partNumber } })
    if (!transfer) continue
    await sendPart(transfer, bytes.subarray(transfer.offset, transfer.offset + transfer.length))
  }
  onProgress('Uploaded. Checking the file…', 1)
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

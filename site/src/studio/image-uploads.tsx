import { cancelUpload, uploadPostImage } from '@pennypost/contract/images'
import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { toHex } from '../to-hex.ts'
import { fetchWithProgress, uploadStateLabel, waitForScreening } from '../upload.ts'
import type { Draft } from './draft.ts'

interface Upload {
  readonly key: string
  readonly filename: string
  readonly state: string
  /** How much was sent, from 0 to 1; undefined when it has failed. */
  readonly progress: number | undefined
}

interface Images {
  readonly uploads: readonly Upload[]
  readonly add: (files: Iterable<File>) => void
}

const accepted = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/**
 * Puts images into a text and uploads them. Each is in the text immediately and is shown once it has been screened.
 * `onText` is called when the text was changed, `onCleared` when an image can be shown.
 */
export function useImageUploads(
  input: RefObject<HTMLTextAreaElement | null>,
  draft: Draft,
  onText: () => void,
  onCleared: () => void,
): Images {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const update = (key: string, change: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...change } : each)))

  const send = async (file: File) => {
    const key = toHex(crypto.getRandomValues(new Uint8Array(6)))
    const mark = `![${file.name.replace(/\.[^.]+$/, '').replaceAll(/[[\]]/g, '')}](image:${key})`
    insertText(input.current!, `\n${mark}\n`)
    onText()
    setUploads((all) => [...all, { key, filename: file.name, state: 'Uploading…', progress: 0 }])
    const fail = (state: string) => {
      if (removeText(input.current!, mark)) onText()
      update(key, { state, progress: undefined })
    }
    try {
      const body = new FormData()
      body.append('file', file)
      const fetcher = fetchWithProgress((progress) => update(key, { progress }))
      // Saves the text with the image's key first, so that the image finds its place when screening ends.
      const sent = await draft.afterSaving((revision) =>
        callApi(
          uploadPostImage,
          {
            params: { postId: draft.post.id },
            query: { intent: 'content' },
            headers: { ...revision, 'x-upload-target-key': key },
            idempotencyKey: randomUuid(),
            body,
          },
          fetcher,
        ),
      )
      const { safety } = await waitForScreening(sent, (state) => update(key, { state }))
      if (safety.state === 'cleared') {
        setUploads((all) => all.filter((each) => each.key !== key))
        await draft.reread()
        return onCleared()
      }
      fail(`${uploadStateLabel(safety.state)}. ${safety.lastError ?? ''}`)
      await callApi(cancelUpload, { params: { operationId: safety.operationId } })
    } catch (error) {
      fail(errorMessage(error))
    }
  }
  return {
    uploads,
    add(files) {
      for (const file of files) if (accepted.includes(file.type)) void send(file)
    },
  }
}

/** How images get into the text, and those being uploaded. */
export function ImageUploads({ images: { uploads, add } }: { readonly images: Images }) {
  const picker = useRef<HTMLInputElement>(null)
  const choose = () => {
    add(picker.current!.files ?? [])
    picker.current!.value = ''
  }
  return (
    <>
      <p class="hint">
        Write in Markdown. Paste or drop an image, or{' '}
        <button type="button" class="text-button" onClick={() => picker.current!.click()}>
          choose one
        </button>
        .
      </p>
      <input type="file" ref={picker} multiple accept={accepted.join()} hidden onChange={choose} />
      <ul class="uploads" aria-label="Images being uploaded">
        {uploads.map(({ key, filename, state, progress }) => (
          <li key={key}>
            {filename}
            {progress !== undefined && <progress max={1} value={progress} aria-label="Uploaded" />}
            <span class="hint" role="status">
              {state}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** As if it had been typed, so that it can be undone with Ctrl+Z. No other way does that in a text area. */
function insertText(input: HTMLTextAreaElement, text: string): void {
  input.focus()
  if (!document.execCommand('insertText', false, text))
    input.setRangeText(text, input.selectionStart, input.selectionEnd, 'end')
}

/** Leaves the cursor where it is, because the author may be typing. Returns whether the text was there. */
function removeText(input: HTMLTextAreaElement, text: string): boolean {
  const at = input.value.indexOf(text)
  if (at !== -1) input.setRangeText('', at, at + text.length, 'preserve')
  return at !== -1
}

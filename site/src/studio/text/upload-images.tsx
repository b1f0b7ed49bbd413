import type { EditorView } from '@codemirror/view'
import { cancelUpload, uploadPostImage } from '@pennypost/contract/images'
import { useState } from 'preact/hooks'
import { callApi } from '../../call-api.ts'
import { errorMessage } from '../../error-message.ts'
import { pathOf } from '../../path-of.ts'
import { randomUuid } from '../../random-uuid.ts'
import { toHex } from '../../to-hex.ts'
import { fetchWithProgress, uploadStateLabel, waitForScreening } from '../../upload.ts'
import type { Draft } from '../draft.ts'
import { insertBlock } from './commands.ts'
import { type ImageState, markOf, removeImage, showImages } from './images.ts'

interface FailedUpload {
  readonly key: string
  readonly filename: string
  readonly reason: string
}

interface ImageUploads {
  readonly failed: readonly FailedUpload[]
  readonly add: (files: readonly File[]) => void
  readonly dismiss: (key: string) => void
}

export const acceptedImages = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** Puts images into the text and uploads them. Each is in the text immediately and is shown once it has been screened. */
export function useImageUploads(getView: () => EditorView, draft: Draft): ImageUploads {
  const [failed, setFailed] = useState<readonly FailedUpload[]>([])

  const send = async (file: File, key: string) => {
    const view = getView()
    const show = (image: ImageState) => showImages(view, [[key, image]])
    const fail = (reason: string) => {
      removeImage(view, key)
      setFailed((all) => [...all, { key, filename: file.name, reason }])
    }
    show({ label: 'Uploading…', progress: 0 })
    try {
      const body = new FormData()
      body.append('file', file)
      const fetcher = fetchWithProgress((progress) => show({ label: 'Uploading…', progress }))
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
      const { safety, publicUrl } = await waitForScreening(sent, (label) => show({ label }))
      if (safety.state === 'cleared') {
        show(publicUrl === null ? { label: 'Ready' } : { url: pathOf(publicUrl), label: '' })
        // The next save finds out too if this fails.
        return await draft.reread().catch(() => undefined)
      }
      fail(`${uploadStateLabel(safety.state)}. ${safety.lastError ?? ''}`)
      await callApi(cancelUpload, { params: { operationId: safety.operationId } })
    } catch (error) {
      fail(errorMessage(error))
    }
  }
  return {
    failed,
    add(files) {
      const view = getView()
      for (const file of files) {
        const key = toHex(crypto.getRandomValues(new Uint8Array(6)))
        const mark = markOf(file.name.replace(/\.[^.]+$/, ''), key)
        insertBlock(`${mark}\n\n`)(view)
        void send(file, key)
      }
    },
    dismiss: (key) => setFailed((all) => all.filter((each) => each.key !== key)),
  }
}

/** The images that could not be uploaded, and why. */
export const FailedUploads = ({ uploads: { failed, dismiss } }: { readonly uploads: ImageUploads }) => (
  <ul class="uploads" aria-label="Images that could not be uploaded">
    {failed.map(({ key, filename, reason }) => (
      <li key={key}>
        {filename}
        <span class="hint" role="status">
          {reason}
        </span>
        <button type="button" class="text-button" onClick={() => dismiss(key)}>
          Dismiss
        </button>
      </li>
    ))}
  </ul>
)

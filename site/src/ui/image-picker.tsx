import type { ImageOperation } from '@pennypost/contract/images'
import { useRef, useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import { fetchWithProgress, uploadStateLabel, waitForScreening } from '../upload.ts'
import { Button } from './button.tsx'

interface ImagePickerProps {
  readonly label: string
  readonly send: (body: FormData, fetcher: typeof fetch) => Promise<ImageOperation>
  /** Called when the image can be shown. */
  readonly onCleared: () => Promise<void>
}

/** Uploads an image and waits for its screening. The previous image stays until then. */
export function ImagePicker({ label, send, onCleared }: ImagePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  const [state, setState] = useState('PNG, JPEG, WebP or GIF, 2 MB')
  // How much was sent, from 0 to 1; undefined if nothing is being sent.
  const [progress, setProgress] = useState<number>()
  const upload = async () => {
    const [file] = input.current!.files ?? []
    if (!file) return
    const body = new FormData()
    body.append('file', file)
    setProgress(0)
    try {
      const { safety } = await waitForScreening(await send(body, fetchWithProgress(setProgress)), setState)
      setState(
        safety.state === 'cleared' ? 'It is shown.' : `${uploadStateLabel(safety.state)}. ${safety.lastError ?? ''}`,
      )
      if (safety.state === 'cleared') await onCleared()
    } catch (error) {
      setState(errorMessage(error))
    } finally {
      setProgress(undefined)
      input.current!.value = ''
    }
  }
  return (
    <div>
      <Button action={() => input.current!.click()}>{label}</Button>
      <input type="file" ref={input} accept="image/png,image/jpeg,image/webp,image/gif" hidden onChange={upload} />
      <progress max={1} value={progress ?? 0} hidden={progress === undefined} aria-label="Uploaded" />
      <p class="hint" role="status">
        {state}
      </p>
    </div>
  )
}

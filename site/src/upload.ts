import { getUploadOperation, type ImageOperation } from '@pennypost/contract/images'
import { callApi } from './call-api.ts'

/** A `fetch` that reports upload progress from 0 to 1, which the built-in `fetch` cannot do. */
export const fetchWithProgress =
  (onProgress: (fraction: number) => void): typeof fetch =>
  (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(init.method ?? 'GET', String(input))
      request.responseType = 'arraybuffer'
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', (event) => onProgress(event.loaded / event.total))
      request.addEventListener('error', () => reject(new TypeError('the network failed')))
      request.addEventListener('load', () => {
        const headers = new Headers()
        for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
          const at = line.indexOf(':')
          if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
        }
        resolve(new Response(request.response, { status: request.status, headers }))
      })
      request.send(init.body as XMLHttpRequestBodyInit)
    })

const pendingStates = new Set(['receiving', 'queued', 'checking'])

/** The state of an upload, in a word or two. */
export const uploadStateLabel = (state: string): string =>
  ({
    receiving: 'Receiving',
    queued: 'Waiting to be checked',
    checking: 'Being checked',
    cleared: 'Ready',
    rejected: 'Refused',
    failed: 'Could not be checked',
    cancelled: 'Cancelled',
    expired: 'Expired',
  })[state] ?? state

/** Polls until the image has been screened, reporting each state on the way. */
export async function waitForScreening(
  sent: ImageOperation,
  onState: (label: string) => void,
): Promise<ImageOperation> {
  let operation = sent
  for (let attempt = 0; pendingStates.has(operation.safety.state); attempt += 1) {
    onState(`${uploadStateLabel(operation.safety.state)}…`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(400 + attempt * 100, 3000)))
    operation = (await callApi(getUploadOperation, {
      params: { operationId: operation.safety.operationId },
    })) as ImageOperation
  }
  return operation
}

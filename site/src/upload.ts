import { getUploadOperation, type ImageOperation } from '@pennypost/contract/images'
import { callApi } from './call-api.ts'

/** A fetch that tells how much of what it sends has left: the browser's own does not. */
export const fetchWithProgress =
  (tell: (part: number) => void): typeof fetch =>
  (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(init.method ?? 'GET', String(input))
      request.responseType = 'arraybuffer'
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', (event) => tell(event.loaded / event.total))
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

/** How an upload is doing, in a word or two. */
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

/** Waits until an image was screened, telling each state it passes. */
export async function waitForScreening(sent: ImageOperation, tell: (words: string) => void): Promise<ImageOperation> {
  let operation = sent
  for (let turn = 0; pendingStates.has(operation.safety.state); turn += 1) {
    tell(`${uploadStateLabel(operation.safety.state)}…`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(400 + turn * 100, 3000)))
    operation = (await callApi(getUploadOperation, {
      params: { operationId: operation.safety.operationId },
    })) as ImageOperation
  }
  return operation
}

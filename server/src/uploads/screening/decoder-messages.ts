import type { ImageInput } from './images/screen-image.ts'
import type { ImageVerdict, ZipVerdict } from './verdict.ts'

/** A task for a decoder process. It gets one at a time. */
export type DecoderTask = { readonly pictureList: string | undefined } & (
  | { readonly kind: 'image'; readonly input: ImageInput }
  | { readonly kind: 'zip'; readonly path: string }
)

export type DecoderReply =
  /** Sent once, after the process has started. */
  | { readonly is: 'ready' }
  | { readonly is: 'verdict'; readonly verdict: ImageVerdict | ZipVerdict; readonly peakBytes: number }
  /** Sent before decoding a large image. The process waits for `go`. */
  | { readonly is: 'large' }
  | { readonly is: 'bug'; readonly stack: string }

export const go = 'go'

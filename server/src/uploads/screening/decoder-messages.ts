import type { ImageInput } from './images/screen-image.ts'
import type { ImageVerdict, ZipVerdict } from './verdict.ts'

/**
 * Which images a task may decode: small ones only, or large ones too. Large ones are decoded one at a time, because two
 * might not fit into memory.
 */
export type Lane = 'light' | 'heavy'

/** A task for a decoder process. It gets one at a time. */
export type DecoderTask = { readonly pictureList: string | undefined } & (
  | { readonly kind: 'image'; readonly input: ImageInput }
  | { readonly kind: 'zip'; readonly path: string }
)

export type DecoderReply =
  /** Sent once, after the process has started. */
  | { readonly is: 'ready' }
  | { readonly is: 'verdict'; readonly verdict: ImageVerdict | ZipVerdict; readonly peakBytes: number }
  | { readonly is: 'bug'; readonly stack: string }

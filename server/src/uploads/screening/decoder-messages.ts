import type { ImageInput } from './images/screen-image.ts'
import type { ImageVerdict, ZipVerdict } from './verdict.ts'

/** What a decoder process is asked, one at a time. */
export type DecoderTask = { readonly pictureList: string | undefined } & (
  | { readonly kind: 'image'; readonly input: ImageInput }
  | { readonly kind: 'zip'; readonly path: string }
)

export type DecoderReply =
  /** Once, after its start. */
  | { readonly is: 'ready' }
  | { readonly is: 'verdict'; readonly verdict: ImageVerdict | ZipVerdict; readonly peakBytes: number }
  /** It is about to decode something large, and waits for the word `go`. */
  | { readonly is: 'large' }
  | { readonly is: 'bug'; readonly stack: string }

export const go = 'go'

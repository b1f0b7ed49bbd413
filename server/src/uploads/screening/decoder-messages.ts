import type { LinkCardPictures, LinkCardText } from './drawing/link-card.ts'
import type { ImageInput } from './images/screen-image.ts'
import type { DecoderVerdict } from './verdict.ts'

/**
 * Which images a task may decode: small ones only, or large ones too. Large ones are decoded one at a time, because two
 * might not fit into memory.
 */
export type Lane = 'light' | 'heavy'

/** A picture to draw from text and from pictures that were screened before. */
export type Drawing = { readonly outputPath: string } & (
  | {
      readonly kind: 'link-card'
      readonly text: LinkCardText
      readonly pictures: LinkCardPictures
      readonly mediaType: 'image/png' | 'image/jpeg'
    }
  | { readonly kind: 'thumbnail'; readonly path: string }
)

/** A task for a decoder process. It gets one at a time. */
export type DecoderTask =
  | { readonly kind: 'image'; readonly input: ImageInput; readonly pictureList: string | undefined }
  | { readonly kind: 'zip'; readonly path: string; readonly pictureList: string | undefined }
  | Drawing

export type DecoderReply =
  /** Sent once, after the process has started. */
  | { readonly is: 'ready' }
  | { readonly is: 'verdict'; readonly verdict: DecoderVerdict; readonly peakBytes: number }
  | { readonly is: 'bug'; readonly stack: string }

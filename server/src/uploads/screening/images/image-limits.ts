/** §8 */
export const imageLimits = { canvasPixels: 32_000_000, decodedPixels: 128_000_000, representations: 128 } as const

/** Text, profiles and the like. Our own choice: real images have a handful, and each may have to be inflated. */
export const mostMetadata = 64

/** What an image says about itself, read by us before any decoder sees its bytes. */
export interface ImageShape {
  readonly width: number
  readonly height: number
  /** Every frame that the bytes hold, also those of an APNG that no decoder of ours would show. */
  readonly frames: number
  /** WebP only: whether its pixels are kept exactly. */
  readonly isLossless?: boolean
}

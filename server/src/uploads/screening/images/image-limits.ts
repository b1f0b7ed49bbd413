/** Limits of an image: pixels of its canvas, pixels of all frames together, and distinct frames. */
export const imageLimits = { canvasPixels: 32_000_000, decodedPixels: 128_000_000, representations: 128 } as const

/**
 * The most text chunks, colour profiles and similar metadata in an image. Real images have a handful, and each may have to
 * be inflated.
 */
export const maxMetadata = 64

/** The structure of an image as our own parser reads it, before any decoder sees the bytes. */
export interface ImageShape {
  readonly width: number
  readonly height: number
  /** All frames in the file, including those of an APNG, which our decoder does not read. */
  readonly frames: number
  /** WebP only: true if all frames are encoded losslessly. */
  readonly isLossless?: boolean
}

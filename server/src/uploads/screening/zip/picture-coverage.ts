import { isUtf8 } from 'node:buffer'
import { type BeforeDecoding, decodePixels, distinctFrames } from '../images/decode.ts'
import { hashPicture } from '../images/hash-picture.ts'
import { imageLimits } from '../images/image-limits.ts'
import { readShape } from '../images/image-shape.ts'
import type { PictureList } from '../picture-list.ts'
import { BrokenRule, type ImageFormat } from '../verdict.ts'

/** Compares the pictures in an archive with the list, and keeps track of members that could not be compared. */
export class PictureCoverage {
  /** False once a member may contain a picture that was not compared. */
  isComplete = true
  #pixelsLeft: number = imageLimits.decodedPixels

  readonly #known: PictureList
  readonly #beforeDecoding: BeforeDecoding

  constructor(known: PictureList, beforeDecoding: BeforeDecoding) {
    this.#known = known
    this.#beforeDecoding = beforeDecoding
  }

  /** Notes a member that is not a picture in one of our formats. */
  noteNonPicture(content: Buffer): void {
    if (!isPlainText(content)) this.isComplete = false
  }

  /** Returns what this picture matches on the list, if anything. */
  async findMatch(content: Buffer, format: ImageFormat): Promise<string | undefined> {
    try {
      const shape = readShape(content, format)
      const pixels = shape.width * shape.height * shape.frames
      // All pictures of an archive share the pixel limit of one image.
      if (pixels > this.#pixelsLeft) {
        this.isComplete = false
        return undefined
      }
      this.#pixelsLeft -= pixels
      const isAnimated = shape.frames > 1 && format !== 'png'
      // Only the still picture of an APNG is decoded.
      if (shape.frames > 1 && !isAnimated) this.isComplete = false
      this.#beforeDecoding(pixels)
      for (const frame of distinctFrames(await decodePixels(content, shape, isAnimated))) {
        const match = this.#known.find(await hashPicture(frame))
        if (match) return match
      }
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error
      this.isComplete = false
    }
    return undefined
  }
}

/** Plain text cannot contain a picture, except as a data URL. */
const isPlainText = (content: Buffer): boolean =>
  isUtf8(content) && !content.includes(0) && !content.includes('data:image/')

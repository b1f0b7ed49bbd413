import { isUtf8 } from 'node:buffer'
import { type BeforeDecoding, decodePixels, distinctFrames } from '../images/decode.ts'
import { hashPicture } from '../images/hash-picture.ts'
import { imageLimits } from '../images/image-limits.ts'
import { readShape } from '../images/image-shape.ts'
import type { PictureList } from '../picture-list.ts'
import { BrokenRule, type ImageFormat } from '../verdict.ts'

/** Looks for known pictures in the members of one archive, and keeps account of what could not be looked at. */
export class PictureCoverage {
  /** False as soon as a member may hold a picture that was not compared. */
  isComplete = true
  #pixelsLeft: number = imageLimits.decodedPixels

  readonly #known: PictureList
  readonly #beforeDecoding: BeforeDecoding

  constructor(known: PictureList, beforeDecoding: BeforeDecoding) {
    this.#known = known
    this.#beforeDecoding = beforeDecoding
  }

  /** Takes note of a member that is no picture of a format we know. */
  noteNonPicture(content: Buffer): void {
    if (!isPlainText(content)) this.isComplete = false
  }

  /** Answers what a picture of this member matches, if it is known. */
  async findMatch(content: Buffer, format: ImageFormat): Promise<string | undefined> {
    try {
      const shape = readShape(content, format)
      const pixels = shape.width * shape.height * shape.frames
      // Other frames of an APNG are not decoded. One archive may have decoded no more than one image may.
      const isAnimated = shape.frames > 1 && format !== 'png'
      if (pixels > this.#pixelsLeft || (shape.frames > 1 && !isAnimated)) this.isComplete = false
      if (pixels > this.#pixelsLeft) return undefined
      this.#pixelsLeft -= pixels
      await this.#beforeDecoding(pixels)
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

/** Text cannot hold a picture, unless one is written into it letter by letter. */
const isPlainText = (content: Buffer): boolean =>
  isUtf8(content) && !content.includes(0) && !content.includes('data:image/')

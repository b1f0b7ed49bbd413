import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { distance, type PictureHash, wordsOf } from './pdq.ts'

/** The list of known pictures cannot be read, or not be understood: nothing can be cleared with it. */
export class PictureListUnreadable extends Error {
  override name = 'PictureListUnreadable'
}

/** Pictures whose hashes differ in this many bits of 256 are the same picture; the usual threshold of such lists. */
const nearestDistance = 31

export interface PictureList {
  /** The first entry that is this picture: its hash, and how far away it is. */
  find(hash: PictureHash): string | undefined
}

/** Reads a list again when its file has changed. Without a path no picture is known. */
export function pictureListReader(): (path: string | undefined) => Promise<PictureList> {
  let current: { version: string; list: PictureList } | undefined
  return async (path) => {
    if (path === undefined) return { find: () => undefined }
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(path)
      const version = [path, ino, size, mtimeMs, ctimeMs].join()
      if (current?.version !== version) current = { version, list: listOf(await readHashes(path)) }
      return current.list
    } catch (error) {
      throw new PictureListUnreadable((error as Error).message, { cause: error })
    }
  }
}

/**
 * Compared one by one: a million takes less than a tenth of a second. Poor pictures (`quality`) are compared too: the
 * lists hold hashes of good ones only, which a poor one does not come near by accident.
 */
function listOf(hashes: Uint32Array): PictureList {
  return {
    find({ turned }) {
      for (const words of turned) {
        for (let at = 0; at < hashes.length; at += 8) {
          const bits = distance(words, hashes, at)
          if (bits <= nearestDistance) return `entry ${at / 8 + 1} of the picture list, distance ${bits}`
        }
      }
      return undefined
    },
  }
}

/** One hash a line, in hexadecimal; whatever follows it is a remark, and so is a line that begins with `#`. */
async function readHashes(path: string): Promise<Uint32Array> {
  let hashes = new Uint32Array(8 * 1024)
  let count = 0
  let lineNumber = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lineNumber++
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const hex = /^[0-9a-f]{64}(?=$|[\s,;])/i.exec(text)?.[0]
    // A list that is half understood would clear what it should have held.
    if (!hex) throw new PictureListUnreadable(`line ${lineNumber} is no hash`)
    if (8 * count === hashes.length) {
      const larger = new Uint32Array(2 * hashes.length)
      larger.set(hashes)
      hashes = larger
    }
    hashes.set(wordsOf(hex), 8 * count++)
  }
  return hashes.subarray(0, 8 * count)
}

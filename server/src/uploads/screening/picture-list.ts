import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { distance, type PictureHash, wordsOf } from './pdq.ts'

/** The list of known pictures cannot be read or parsed. Nothing can be cleared without it. */
export class PictureListUnreadable extends Error {
  override name = 'PictureListUnreadable'
}

/**
 * Pictures whose hashes differ in at most this many of 256 bits count as the same. This is the usual threshold for PDQ.
 */
const nearestDistance = 31

export interface PictureList {
  /** Describes the first entry that matches this picture, and its distance. */
  find(hash: PictureHash): string | undefined
}

/** Returns a function that reads the list, again whenever its file has changed. Without a path the list is empty. */
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
 * Compares a picture with every entry; a million entries take less than a tenth of a second. Pictures of low `quality`
 * are compared too: lists only hold hashes of good quality, which they don't match by accident.
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

/** Reads one hexadecimal hash per line. Text after the hash, and lines that begin with `#`, are comments. */
async function readHashes(path: string): Promise<Uint32Array> {
  let hashes = new Uint32Array(8 * 1024)
  let count = 0
  let lineNumber = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lineNumber++
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const hex = /^[0-9a-f]{64}(?=$|[\s,;])/i.exec(text)?.[0]
    // Skipping a malformed line could clear a picture that should have been held.
    if (!hex) throw new PictureListUnreadable(`line ${lineNumber} is not a hash`)
    if (8 * count === hashes.length) {
      const larger = new Uint32Array(2 * hashes.length)
      larger.set(hashes)
      hashes = larger
    }
    hashes.set(wordsOf(hex), 8 * count++)
  }
  return hashes.subarray(0, 8 * count)
}

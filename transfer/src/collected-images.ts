import { createHash } from 'node:crypto'
import type { FileSource, SourceImage } from './source.ts'

const maxImages = 500
const maxDataBytes = 8 * 1024 * 1024

/** The images that the text of a post refers to. The same image always has the same key, so a second run finds it. */
export interface CollectedImages {
  readonly list: readonly SourceImage[]
  /** Returns the key of an image, or undefined if there cannot be one. */
  add(source: FileSource): string | undefined
}

export function collectImages(): CollectedImages {
  const byKey = new Map<string, SourceImage>()
  return {
    get list() {
      return [...byKey.values()]
    },
    add(source) {
      const key = keyOf(source)
      if (!byKey.has(key) && byKey.size >= maxImages) return undefined
      byKey.set(key, { key, source })
      return key
    },
  }
}

const keyOf = (source: FileSource): string => {
  const name = source.kind === 'url' ? source.url : source.kind === 'archive' ? source.path : source.bytes
  return `i${createHash('sha256').update(source.kind).update(' ').update(name).digest('hex').slice(0, 20)}`
}

/** An image inside of a text: `data:image/png;base64,…`. */
export function dataImage(url: string): FileSource | undefined {
  const [, base64] =
    /^data:image\/[\w.+-]+(?:;[\w=-]+)*;base64,([A-Za-z0-9+/=\s]+)$/.exec(url.slice(0, maxDataBytes)) ?? []
  return base64 === undefined ? undefined : { kind: 'bytes', bytes: new Uint8Array(Buffer.from(base64, 'base64')) }
}

/** An address on the web, as it would be opened from a page of the old site. */
export function webUrl(text: string, base: string | undefined): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || !URL.canParse(trimmed, base)) return undefined
  const url = new URL(trimmed, base)
  return /^https?:$/.test(url.protocol) ? url.href : undefined
}

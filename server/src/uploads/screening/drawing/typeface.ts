import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import type { Font, PathCommand } from 'opentype.js'

// A server has no fonts, or not those that we expect, so text is drawn as outlines from a font that we bring along.

/** Text as the outlines of its letters. */
export interface Typeface {
  /** The text without what the font lacks, such as emoji. Undefined if a letter or a digit is missing. */
  drawable(text: string): string | undefined
  widthOf(text: string, size: number): number
  /** The `d` of an SVG path. The baseline is at `y`. */
  outlineOf(text: string, x: number, y: number, size: number): string
}

// Each file has the letters of one script. The first one that has a letter draws it.
const subsets = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese']

export async function loadTypeface(weight: 400 | 700): Promise<Typeface> {
  // Loaded on first use: most decoders never draw text.
  const { default: opentype } = await import('opentype.js')
  const fonts = await Promise.all(
    subsets.map(async (subset) => {
      const bytes = await readFile(fontPath(`source-serif-4-${subset}-${weight}-normal.woff`))
      return opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer)
    }),
  )
  const fontOf = (letter: string) => fonts.find((font) => font.hasChar(letter))
  // Measuring costs more than drawing, and a title is measured word by word at several sizes.
  const unitWidths = new LRUCache<string, number>({ max: 500 })
  const unitWidthOf = (text: string): number => {
    const known = unitWidths.get(text)
    if (known !== undefined) return known
    const width = runsOf(text, fontOf).reduce((sum, run) => sum + run.font.getAdvanceWidth(run.text, 1000) / 1000, 0)
    unitWidths.set(text, width)
    return width
  }
  return {
    drawable(text) {
      const letters = [...text.normalize('NFC')]
      if (letters.some((letter) => /[\p{L}\p{N}\p{M}]/u.test(letter) && !isEmojiPart(letter) && !fontOf(letter)))
        return undefined
      const shown = letters.filter((letter) => !isEmojiPart(letter) && fontOf(letter)).join('')
      return shown.replaceAll(/\s+/gu, ' ').trim() || undefined
    },
    widthOf: (text, size) => size * unitWidthOf(text),
    outlineOf(text, x, y, size) {
      let outline = ''
      let at = x
      for (const run of runsOf(text, fontOf)) {
        outline += run.font.getPath(run.text, at, y, size).commands.map(pathStep).join('')
        at += run.font.getAdvanceWidth(run.text, size)
      }
      return outline
    },
  }
}

/** One step of a path. The library writes NaN for some numbers when it rounds them itself. */
const pathStep = ({ type, x1, y1, x2, y2, x, y }: PathCommand): string =>
  type + [x1, y1, x2, y2, x, y].flatMap((value) => (value === undefined ? [] : value.toFixed(1))).join(' ')

const fontPath = (file: string): string =>
  fileURLToPath(import.meta.resolve(`@fontsource/source-serif-4/files/${file}`))

/** An emoji, or a joiner, variation selector or keycap, which mean nothing without one. */
const isEmojiPart = (letter: string): boolean =>
  /\p{Extended_Pictographic}|\u200d|\u20e3|[\ufe00-\ufe0f]/u.test(letter) && !/[©®™]/.test(letter)

interface Run {
  readonly font: Font
  text: string
}

/** The text in pieces of one font each. */
function runsOf(text: string, fontOf: (letter: string) => Font | undefined): Run[] {
  const runs: Run[] = []
  for (const letter of text) {
    const last = runs.at(-1)
    // Spaces and signs stay in the font of the word before them.
    if (last?.font.hasChar(letter)) last.text += letter
    else {
      const font = fontOf(letter)
      if (font) runs.push({ font, text: letter })
    }
  }
  return runs
}

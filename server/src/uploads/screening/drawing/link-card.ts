import sharp, { type OverlayOptions } from 'sharp'
import { allowingSvg, type BeforeDecoding } from '../images/decode.ts'
import { fillCircleWith, fillWith, openPicture, pixelsOf } from './picture.ts'
import { linkCardSize } from './sizes.ts'
import { loadTypeface, type Typeface } from './typeface.ts'

/** The text of the picture that other sites show for a link to a post. */
export interface LinkCardText {
  readonly title: string
  readonly author: string
  readonly handle: string
  readonly site: string
  /** `#rrggbb`, dark enough for white text on it. */
  readonly color: string
}

/** Paths of the pictures on it. They have been screened and encoded again before. */
export interface LinkCardPictures {
  readonly cover?: string | undefined
  readonly avatar?: string | undefined
  readonly logo?: string | undefined
}

const { width, height } = linkCardSize
const paper = '#fdfcfa'
const ink = '#211d18'
const faded = '#6a6157'
const margin = 80
const coverWidth = 480
const titleTop = 168
const titleBottom = 462
const lineHeight = 1.16
const titleSizes = [92, 80, 70, 62, 54, 48, 42]

let typefaces: Promise<{ readonly bold: Typeface; readonly regular: Typeface }> | undefined

async function loadTypefaces() {
  const [bold, regular] = await Promise.all([loadTypeface(700), loadTypeface(400)])
  return { bold, regular }
}

interface LinkCardTask {
  readonly text: LinkCardText
  readonly pictures: LinkCardPictures
  /** JPEG for a card with a cover: a photo would be a large PNG. */
  readonly mediaType: 'image/png' | 'image/jpeg'
}

export async function drawLinkCard(
  { text, pictures, mediaType }: LinkCardTask,
  beforeDecoding: BeforeDecoding,
): Promise<Buffer> {
  for (const path of Object.values(pictures)) if (path !== undefined) beforeDecoding(await pixelsOf(path))
  typefaces ??= loadTypefaces()
  const { bold, regular } = await typefaces
  const cover = pictures.cover && (await (await fillWith(pictures.cover, coverWidth, height)).png().toBuffer())
  const avatar = pictures.avatar && (await fillCircleWith(pictures.avatar, avatarSize))
  const logo = await logoOf(pictures.logo)
  const right = width - (cover ? coverWidth + 56 : margin)
  const svg = svgOf(text, { bold, regular, right, hasAvatar: avatar !== undefined, logoWidth: logo?.width })
  const overlays: OverlayOptions[] = [
    ...(cover ? [{ input: cover, left: width - coverWidth, top: 0 }] : []),
    ...(avatar ? [{ input: avatar, left: margin, top: authorTop }] : []),
    ...(logo ? [{ input: logo.bytes, left: margin, top: siteMiddle - Math.round(logo.height / 2) }] : []),
  ]
  const card = await allowingSvg(() =>
    sharp(Buffer.from(svg), { density: 72 }).raw().toBuffer({ resolveWithObject: true }),
  )
  const image = sharp(card.data, {
    raw: { width: card.info.width, height: card.info.height, channels: card.info.channels },
  })
    .composite(overlays)
    .flatten({ background: paper })
  return mediaType === 'image/jpeg' ? image.jpeg({ quality: 84 }).toBuffer() : image.png().toBuffer()
}

const avatarSize = 72
const authorTop = 498
const siteMiddle = 100
const coin = 28

interface Places {
  readonly bold: Typeface
  readonly regular: Typeface
  readonly right: number
  readonly hasAvatar: boolean
  readonly logoWidth: number | undefined
}

/** Everything but the pictures. Text becomes outlines of letters, so nothing of it is ever parsed as SVG. */
function svgOf(text: LinkCardText, { bold, regular, right, hasAvatar, logoWidth }: Places): string {
  const paths: string[] = []
  const write = (face: Typeface, line: string, x: number, y: number, size: number, color: string) => {
    paths.push(`<path fill="${color}" d="${face.outlineOf(line, x, y, size)}"/>`)
  }
  const fit = (face: Typeface, line: string, size: number, room: number) =>
    linesOf(face, line, size, room, 1)?.[0] ?? cut(face, line, size, room)

  // What the font cannot write is left out, so there are no boxes instead of letters.
  const site = bold.drawable(text.site) ?? ''
  let siteLeft = margin + (logoWidth === undefined ? 0 : logoWidth + 20)
  if (logoWidth === undefined) {
    const letter = [...site.toUpperCase()][0] ?? ''
    paths.push(`<circle cx="${margin + coin}" cy="${siteMiddle}" r="${coin}" fill="${text.color}"/>`)
    write(bold, letter, margin + coin - bold.widthOf(letter, 34) / 2, siteMiddle + 12, 34, '#ffffff')
    siteLeft += 2 * coin + 18
  }
  write(bold, fit(bold, site, 34, right - siteLeft), siteLeft, siteMiddle + 12, 34, ink)

  const handle = `@${text.handle}`
  const [headline, ...bylines] = [bold.drawable(text.title), bold.drawable(text.author), handle].filter(
    (line) => line !== undefined,
  ) as [string, ...string[]]
  const { size, lines } = fitTitle(bold, headline, right - margin)
  const top = (titleTop + titleBottom - lines.length * size * lineHeight) / 2
  for (const [index, line] of lines.entries())
    write(bold, line, margin, top + size * (0.9 + index * lineHeight), size, ink)

  const authorLeft = margin + (hasAvatar ? avatarSize + 22 : 0)
  const room = right - authorLeft
  const handleTop = authorTop + (bylines.length === 1 ? 47 : 67)
  if (bylines.length === 2) write(bold, fit(bold, bylines[0]!, 34, room), authorLeft, authorTop + 31, 34, ink)
  if (bylines.length > 0) write(regular, fit(regular, handle, 28, room), authorLeft, handleTop, 28, faded)

  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${paper}"/><rect y="${height - 14}" width="${width}" height="14" fill="${text.color}"/>${paths.join('')}</svg>`
}

/** The largest size at which the title fits. At the smallest one, the end is cut off. */
function fitTitle(face: Typeface, title: string, room: number): { size: number; lines: string[] } {
  for (const size of titleSizes) {
    const lines = linesOf(face, title, size, room, maxLines(size))
    if (lines) return { size, lines }
  }
  const size = titleSizes.at(-1)!
  const words = title.split(' ')
  // The longest beginning that fits with an ellipsis.
  for (let count = words.length; count > 0; count--) {
    const lines = linesOf(face, `${words.slice(0, count).join(' ')}…`, size, room, maxLines(size))
    if (lines) return { size, lines }
  }
  return { size, lines: [cut(face, title, size, room)] }
}

const maxLines = (size: number) => Math.floor((titleBottom - titleTop) / (size * lineHeight))

/** The text in lines, or undefined if it needs more of them or has a word that is too long. */
function linesOf(face: Typeface, text: string, size: number, room: number, most: number): string[] | undefined {
  const lines: string[] = []
  const space = face.widthOf(' ', size)
  let end = room
  for (const word of text.split(' ')) {
    const width = face.widthOf(word, size)
    if (width > room) return undefined
    if (end + space + width <= room) {
      lines[lines.length - 1] += ` ${word}`
      end += space + width
    } else {
      if (lines.push(word) > most) return undefined
      end = width
    }
  }
  return lines
}

/** One line that ends with an ellipsis. */
function cut(face: Typeface, text: string, size: number, room: number): string {
  let width = face.widthOf('…', size)
  let shown = ''
  for (const letter of text) {
    width += face.widthOf(letter, size)
    if (width > room) break
    shown += letter
  }
  return `${shown.trimEnd()}…`
}

interface Logo {
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

async function logoOf(path: string | undefined): Promise<Logo | undefined> {
  if (path === undefined) return undefined
  const { data, info } = await (await openPicture(path))
    .resize({ width: 260, height: 64, fit: 'inside' })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

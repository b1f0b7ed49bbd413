import { crc32 } from 'node:zlib'
import { broken } from '../verdict.ts'

const maxNameBytes = 1024
const maxComponentBytes = 255

// The upper half of code page 437, the encoding of names without the UTF-8 flag.
const codePage437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** Decodes a member's name. Rejects names that some ZIP reader could take for another path. */
export function readName(raw: Buffer, isUtf8: boolean, extra: ReadonlyMap<number, Buffer>): string {
  const name = decodeName(raw, isUtf8)
  requireSafe(name)
  const unicodePath = extra.get(0x7075)
  // Readers that know Info-ZIP's Unicode path use it instead of the name, so it must be the same.
  if (unicodePath && !repeatsName(unicodePath, raw, name)) broken('unsafe-path')
  return name
}

function decodeName(raw: Buffer, isUtf8: boolean): string {
  try {
    // macOS writes UTF-8 without setting the flag. A name in another encoding is hardly ever valid UTF-8.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    if (isUtf8) return broken('unsafe-path')
    return Array.from(raw, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : codePage437[byte - 0x80]!)).join('')
  }
}

function repeatsName(extra: Buffer, raw: Buffer, name: string): boolean {
  if (extra.length < 5 || extra[0] !== 1) return false
  if (extra.readUInt32LE(1) !== crc32(raw)) return false
  return extra.toString('utf8', 5) === name
}

// Control characters; characters that hide or reverse text (bidirectional marks, line separators); and the colon and
// backslash, which Windows reads as drive, stream or path separators.
const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff:\\]/
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i

function requireSafe(name: string): void {
  if (name.length === 0 || Buffer.byteLength(name) > maxNameBytes || unsafeCharacters.test(name)) broken('unsafe-path')
  const components = name.replace(/\/$/, '').split('/')
  for (const component of components) {
    // Windows drops trailing dots and spaces, which changes the name. This also covers "." and "..".
    if (component === '' || /[. ]$/.test(component) || windowsDevice.test(component)) broken('unsafe-path')
    if (Buffer.byteLength(component) > maxComponentBytes) broken('unsafe-path')
  }
}

/** Rejects names that differ only in case or Unicode normalization, and files that are also used as directories. */
export function requireDistinct(names: readonly string[]): void {
  const files = new Set<string>()
  const directories = new Set<string>()
  const parents = new Set<string>()
  for (const name of names) {
    const folded = foldCase(name.normalize('NFC')).normalize('NFC')
    const path = folded.replace(/\/$/, '')
    const known = folded.endsWith('/') ? directories : files
    if (known.has(path)) broken('duplicate-name')
    known.add(path)
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      parents.add(path.slice(0, slash))
    }
  }
  for (const file of files) if (directories.has(file) || parents.has(file)) broken('duplicate-name')
}

/**
 * Folds case as file systems do: by single characters, and over upper case, because several small letters have one capital
 * (s and ſ, σ and ς, μ and µ). A letter whose capital is two (ß) stays, so that "Maße" and "Masse" differ, and so does the
 * dotless ı, which is a separate letter.
 */
const foldCase = (name: string): string =>
  Array.from(name.toLowerCase(), (letter) => {
    const capital = letter.toUpperCase()
    return letter !== 'ı' && capital.length === letter.length ? capital.toLowerCase() : letter
  }).join('')

/** True for files that macOS adds to archives; the author did not put them there. */
export const isMacSystemFile = (name: string): boolean => /^__MACOSX(\/|$)|(^|\/)(\.DS_Store|\._[^/]*)$/.test(name)

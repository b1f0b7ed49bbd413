import { crc32 } from 'node:zlib'
import { broken } from '../verdict.ts'

const longestName = 1024
const longestComponent = 255

// The upper half of code page 437, which names without the UTF-8 flag are in.
const codePage437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** A member's name as text, or a broken rule if anybody could read it as another place than it seems. */
export function readName(raw: Buffer, isUtf8: boolean, extra: ReadonlyMap<number, Buffer>): string {
  const name = decodeName(raw, isUtf8)
  requireSafe(name)
  const unicodePath = extra.get(0x7075)
  // Info-ZIP's second name replaces the first for those who know it. Some writers just repeat the first.
  if (unicodePath && !repeatsName(unicodePath, raw, name)) broken('unsafe-path')
  return name
}

function decodeName(raw: Buffer, isUtf8: boolean): string {
  try {
    // macOS writes UTF-8 without saying so; a name in another encoding is hardly ever valid UTF-8.
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

// Controls; what hides or turns text around (bidirectional marks, line separators); and Windows' stream separator,
// drive colon and path separator.
const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff:\\]/
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i

function requireSafe(name: string): void {
  if (name.length === 0 || Buffer.byteLength(name) > longestName || unsafeCharacters.test(name)) broken('unsafe-path')
  const components = name.replace(/\/$/, '').split('/')
  for (const component of components) {
    // Windows drops dots and spaces at the end, which makes another name of it. This covers "." and ".." too.
    if (component === '' || /[. ]$/.test(component) || windowsDevice.test(component)) broken('unsafe-path')
    if (Buffer.byteLength(component) > longestComponent) broken('unsafe-path')
  }
}

/** Refuses two names that are one on a file system which ignores case or normalizes, and a file used as a directory. */
export function requireDistinct(names: readonly string[]): void {
  const files = new Set<string>()
  const directories = new Set<string>()
  const parents = new Set<string>()
  for (const name of names) {
    const folded = name.normalize('NFC').toLowerCase().normalize('NFC')
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

/** Finder leaves these behind; they are no content of the author. */
export const isMacSystemFile = (name: string): boolean => /^__MACOSX(\/|$)|(^|\/)(\.DS_Store|\._[^/]*)$/.test(name)

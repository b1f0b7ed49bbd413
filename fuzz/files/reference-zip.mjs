// A second ZIP reader, written without looking at the first. It reads an archive twice, as the two families of unpackers do:
// from the directory at the end (unzip, Windows, Java) and as a stream from the first byte (bsdtar, Node streams).
// A cleared archive must be the same archive to both.
import { crc32, inflateRawSync } from 'node:zlib'

/** Reads by the directory. Returns `[{ name, content }]` in its order; throws what is wrong. */
export function readByDirectory(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Like most unpackers: the last signature wins, whatever its comment length says.
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1
  if (end < 0) throw new Error('no end record')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const found = []
  for (let index = 0; index < count; index += 1) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error('no directory entry')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true))
    const method = view.getUint16(at + 10, true)
    const [crc, packed, size] = [16, 20, 24].map((offset) => view.getUint32(at + offset, true))
    const local = view.getUint32(at + 42, true)
    const name = bytes.subarray(at + 46, at + 46 + nameLength)
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    found.push({ name, content: unpack(bytes.subarray(start, start + packed), method, size, crc) })
    at += 46 + nameLength + extraLength + commentLength
  }
  return found
}

/** Reads from the first byte on, without the directory. Every byte before the directory must belong to a member. */
export function readAsStream(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = []
  let at = 0
  while (view.getUint32(at, true) === 0x04034b50) {
    const [flags, method] = [6, 8].map((offset) => view.getUint16(at + offset, true))
    const [crc, packed, size] = [14, 18, 22].map((offset) => view.getUint32(at + offset, true))
    const nameLength = view.getUint16(at + 26, true)
    const name = bytes.subarray(at + 30, at + 30 + nameLength)
    at += 30 + nameLength + view.getUint16(at + 28, true)
    if ((flags & 8) === 0) {
      found.push({ name, content: unpack(bytes.subarray(at, at + packed), method, size, crc) })
      at += packed
    } else {
      // The length is not known in advance: the stream itself says where it ends.
      if (method !== 8) throw new Error('a stored member without a length')
      const { buffer, engine } = inflateRawSync(bytes.subarray(at), { info: true, maxOutputLength: 16 * 1024 * 1024 })
      at += engine.bytesWritten
      if (view.getUint32(at, true) === 0x08074b50 && view.getUint32(at + 4, true) === crc32(buffer)) at += 4
      if (view.getUint32(at, true) !== crc32(buffer)) throw new Error('another checksum after the data')
      if (view.getUint32(at + 8, true) !== buffer.length) throw new Error('another size after the data')
      at += 12
      found.push({ name, content: buffer })
    }
  }
  if (view.getUint32(at, true) !== 0x02014b50) throw new Error('bytes that belong to nothing')
  return found
}

function unpack(packed, method, size, crc) {
  const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
  if (content.length !== size) throw new Error('another size')
  if (crc32(content) !== crc) throw new Error('another checksum')
  return content
}

const limits = { files: 128, member: 16 * 1024 * 1024, total: 64 * 1024 * 1024, expansion: 100 }

/**
 * Why an archive that was cleared should not have been; undefined if it is as it should be. `members` is what the reader
 * that cleared it has seen.
 */
export function wrongClearance(bytes, members = undefined) {
  let byDirectory
  let asStream
  try {
    byDirectory = readByDirectory(bytes)
    asStream = readAsStream(bytes)
  } catch (error) {
    return `the other reader cannot read it: ${error.message}`
  }
  const key = ({ name, content }) => `${Buffer.from(name).toString('hex')} ${content.length} ${crc32(content)}`
  const sizes = ({ content }) => `${content.length} ${crc32(content)}`
  if (members && members.map(sizes).join() !== byDirectory.map(sizes).join())
    return 'the other reader sees other members'
  if (byDirectory.map(key).sort().join() !== asStream.map(key).sort().join())
    return 'a streaming reader sees other members'
  const files = byDirectory.filter(({ name }) => name.at(-1) !== 0x2f)
  if (files.length > limits.files) return 'too many files'
  let total = 0
  for (const { name, content } of byDirectory) {
    total += content.length
    if (content.length > limits.member) return 'a member is too large'
    const wrong = wrongName(Buffer.from(name).toString('latin1'))
    if (wrong) return `the name ${JSON.stringify(Buffer.from(name).toString())} ${wrong}`
  }
  if (total > limits.total || total > limits.expansion * bytes.length) return 'it expands too much'
  const names = byDirectory.map(({ name }) => Buffer.from(name).toString().normalize('NFC').replace(/\/$/, ''))
  for (const [index, name] of names.entries())
    if (names.slice(index + 1).some((other) => isSameName(name, other))) return 'two names are the same'
  return undefined
}

/** As file systems do that ignore case. Regular expressions know Unicode's case folding, and nobody wrote it here. */
const isSameName = (name, other) =>
  name.length === other.length && new RegExp(`^${name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`, 'iu').test(other)

/** Checked on bytes, so that no decoding can hide anything. */
function wrongName(name) {
  if (name === '' || name.startsWith('/')) return 'is empty or absolute'
  if (/[\0-\x1f\x7f\\:]/.test(name)) return 'has control characters, a backslash or a colon'
  if (name.split('/').some((part) => part === '..' || part === '.')) return 'leads elsewhere'
  return undefined
}

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

const form = /^(?:[0-9a-fA-F]{2})*$/

/** Parses hexadecimal text of exactly this many bytes, or returns undefined. Accepts both cases, like a node. */
export function parseHex(text: string, sizeBytes: number): Uint8Array | undefined {
  if (text.length !== sizeBytes * 2 || !form.test(text)) return undefined
  return hexToBytes(text)
}

/** Parses hexadecimal text that is known to be valid. */
export function bytesOf(text: string, sizeBytes: number): Uint8Array {
  const bytes = parseHex(text, sizeBytes)
  if (bytes === undefined) throw new RangeError(`expected ${sizeBytes} bytes in hexadecimal`)
  return bytes
}

/** Upper-case hexadecimal, which nodes use for hashes, keys and signatures. Work is in lower case. */
export const upperHex = (bytes: Uint8Array): string => bytesToHex(bytes).toUpperCase()

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

const form = /^(?:[0-9a-fA-F]{2})*$/

/** The bytes of a hexadecimal text of exactly this length, or undefined. Both cases are read, as a node does. */
export function parseHex(text: string, sizeBytes: number): Uint8Array | undefined {
  if (text.length !== sizeBytes * 2 || !form.test(text)) return undefined
  return hexToBytes(text)
}

/** The same for text that was checked before. */
export function bytesOf(text: string, sizeBytes: number): Uint8Array {
  const bytes = parseHex(text, sizeBytes)
  if (bytes === undefined) throw new RangeError(`expected ${sizeBytes} bytes in hexadecimal`)
  return bytes
}

/** Hashes, keys and signatures are written in upper case, as a node does; work in lower case. */
export const upperHex = (bytes: Uint8Array): string => bytesToHex(bytes).toUpperCase()

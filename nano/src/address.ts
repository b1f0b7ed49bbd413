import { blake2b } from '@noble/hashes/blake2.js'

// Base 32 without 0, 2, l and v, which are easily mistaken for other characters.
const letters = '13456789abcdefghijkmnopqrstuwxyz'
const keyBytes = 32
const checksumBytes = 5
const keyLetters = 52

// The first letter holds four bits of padding and the top bit of the key, so it can only be 1 or 3.
const form = new RegExp(`^(?:nano|xrb)_([13][${letters}]{59})$`)

/**
 * Parses an address into its public key, or returns undefined if the text is not an address. Like a node, it accepts the
 * old prefix `xrb_` and refuses upper case.
 * @example parseNanoAddress('nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3')
 */
export function parseNanoAddress(text: string): Uint8Array | undefined {
  const encoded = form.exec(text)?.[1]
  if (encoded === undefined) return undefined
  const publicKey = decode(encoded.slice(0, keyLetters))
  return encodedKey(publicKey) === encoded ? publicKey : undefined
}

/** The blake2b hash of five bytes of a public key, which an address ends with. */
export const addressChecksum = (publicKey: Uint8Array): Uint8Array => blake2b(publicKey, { dkLen: checksumBytes })

/**
 * The address of a public key, with the prefix `nano_`.
 * @param checksumOf computes the same in another way
 */
export function nanoAddress(publicKey: Uint8Array, checksumOf = addressChecksum): string {
  if (publicKey.length !== keyBytes) throw new RangeError(`a public key has ${keyBytes} bytes, not ${publicKey.length}`)
  return `nano_${encodedKey(publicKey, checksumOf)}`
}

// The hash is little-endian, and is written big-endian.
const encodedKey = (publicKey: Uint8Array, checksumOf = addressChecksum): string =>
  encode(publicKey) + encode(checksumOf(publicKey).toReversed())

function encode(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  // The padding bits are on the left.
  let bits = (5 - ((bytes.length * 8) % 5)) % 5
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += letters.charAt((held >> bits) & 31)
    }
  }
  return text
}

// From right to left, so that the padding bits end up on the left.
function decode(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let next = bytes.length
  let held = 0
  let bits = 0
  for (let index = text.length - 1; index >= 0; index -= 1) {
    held |= letters.indexOf(text.charAt(index)) << bits
    bits += 5
    if (bits >= 8) {
      next -= 1
      bytes[next] = held & 255
      held >>= 8
      bits -= 8
    }
  }
  return bytes
}

import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * An address on Base in its checksummed spelling. Undefined: the text is not an address. A text in one case has no
 * checksum and is taken as it is; mixed case must match the checksum (EIP-55), or a letter was mistyped.
 */
export function parseBaseAddress(text: string): string | undefined {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1]
  if (digits === undefined) return undefined
  const lower = digits.toLowerCase()
  const checksummed = withChecksum(lower)
  const hasOneCase = digits === lower || digits === digits.toUpperCase()
  return hasOneCase || digits === checksummed ? `0x${checksummed}` : undefined
}

// EIP-55: a letter is a capital where the hash of the lower-case digits has 8 or more in the same place.
function withChecksum(digits: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  return Array.from(digits, (digit, index) => (hash.charAt(index) >= '8' ? digit.toUpperCase() : digit)).join('')
}

import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Returns an address on Base with its checksum (EIP-55), or undefined if the text is not an address. Text in one case has
 * no checksum and is accepted. Mixed case must match the checksum; otherwise a letter was mistyped.
 */
export function parseBaseAddress(text: string): string | undefined {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1]
  if (digits === undefined) return undefined
  const lower = digits.toLowerCase()
  const checksummed = withChecksum(lower)
  const hasOneCase = digits === lower || digits === digits.toUpperCase()
  return hasOneCase || digits === checksummed ? `0x${checksummed}` : undefined
}

// EIP-55: a letter is upper case if the hash of the lower-case digits has 8 or more at the same position.
function withChecksum(digits: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  return Array.from(digits, (digit, index) => (hash.charAt(index) >= '8' ? digit.toUpperCase() : digit)).join('')
}

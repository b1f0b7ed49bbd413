import { blake2b } from '@noble/hashes/blake2.js'
import { addressChecksum } from '@pennypost/nano/address'
import { publicKeyOf } from '@pennypost/nano/keys'

// The cryptography behind the address of an offer. Every 402 needs a new address, so libsodium computes it in WebAssembly:
// in a tenth of the time of our JavaScript, and without branches or table lookups that depend on a secret. WebAssembly can
// access only its own memory.

export interface KeyFunctions {
  /** blake2b of 32 bytes, with a key. */
  keyedHash(bytes: Uint8Array, key: Uint8Array): Uint8Array
  /** The public key of a Nano account. */
  publicKeyOf(secretKey: Uint8Array): Uint8Array
  /** The checksum at the end of an address. */
  checksumOf(publicKey: Uint8Array): Uint8Array
}

const keyBytes = 32
const checksumBytes = 5
/** blake2b-512. */
const hashBytes = 64
/** The texts that keys are derived from are shorter. What is longer is hashed by definition. */
const longestText = 128

/** The functions in JavaScript, as they are defined. */
export const definedKeys: KeyFunctions = {
  keyedHash: (bytes, key) => blake2b(bytes, { key, dkLen: keyBytes }),
  publicKeyOf,
  checksumOf: addressChecksum,
}

/** The part of libsodium that is used. Numbers are places in its memory; the length of what is hashed is in two halves. */
interface Sodium {
  readonly HEAPU8: Uint8Array
  _malloc(bytes: number): number
  _crypto_generichash_blake2b(
    out: number,
    outBytes: number,
    input: number,
    inputBytes: number,
    inputBytesHigh: number,
    key: number,
    keyBytes: number,
  ): number
  _crypto_scalarmult_ed25519_base(out: number, scalar: number): number
}

let loading: Promise<Sodium> | undefined

/** Loaded once. */
export function loadSodium(): Promise<Sodium> {
  loading ??= import('libsodium-sumo').then(({ default: instantiate }) => instantiate() as Promise<Sodium>)
  return loading
}

/**
 * The functions of libsodium, or those of the definition where it cannot be loaded or is not what we expect.
 * @param onFallback is called in the second case.
 */
export async function loadKeyFunctions(
  onFallback: (cause: string) => void = () => {},
  load: () => Promise<Sodium> = loadSodium,
): Promise<KeyFunctions> {
  try {
    const loaded = sodiumKeys(await load())
    if (areAsPublished(loaded)) return loaded
    onFallback('libsodium computes other keys than those that are published')
  } catch (error) {
    onFallback(error instanceof Error ? error.message : String(error))
  }
  return definedKeys
}

function sodiumKeys(sodium: Sodium): KeyFunctions {
  // All calls share one piece of memory, because none waits in the middle. It is cleared after each call, because the next
  // one may be much later.
  const input = sodium._malloc(longestText + keyBytes + hashBytes + keyBytes)
  const key = input + longestText
  const hash = key + keyBytes
  const result = hash + hashBytes
  const check = (code: number): void => {
    if (code !== 0) throw new Error('libsodium refused a key')
  }
  /** Memory may move while it grows, so that it is looked up for each call. */
  const compute = (bytes: number, act: (memory: Uint8Array) => void): Uint8Array => {
    const memory = sodium.HEAPU8
    try {
      act(memory)
      return memory.slice(result, result + bytes)
    } finally {
      memory.fill(0, input, result + keyBytes)
    }
  }
  return {
    keyedHash(bytes, secret) {
      if (bytes.length > longestText || secret.length !== keyBytes) return definedKeys.keyedHash(bytes, secret)
      return compute(keyBytes, (memory) => {
        memory.set(bytes, input)
        memory.set(secret, key)
        check(sodium._crypto_generichash_blake2b(result, keyBytes, input, bytes.length, 0, key, keyBytes))
      })
    },
    publicKeyOf(secretKey) {
      if (secretKey.length !== keyBytes) return definedKeys.publicKeyOf(secretKey)
      return compute(keyBytes, (memory) => {
        memory.set(secretKey, key)
        check(sodium._crypto_generichash_blake2b(hash, hashBytes, key, keyBytes, 0, 0, 0))
        // It reads the first 32 bytes, and clears and sets the same bits of them as Ed25519 (RFC 8032, section 5.1.5).
        check(sodium._crypto_scalarmult_ed25519_base(result, hash))
      })
    },
    checksumOf(publicKey) {
      return compute(checksumBytes, (memory) => {
        memory.set(publicKey.subarray(0, keyBytes), key)
        check(sodium._crypto_generichash_blake2b(result, checksumBytes, key, keyBytes, 0, 0, 0))
      })
    },
  }
}

/** The key of the zero seed's first account, as it is published, and a hash by definition. */
const published = {
  secretKey: Buffer.from('9f0e444c69f77a49bd0be89db92c38fe713e0963165cca12faf5712d7657120f', 'hex'),
  publicKey: Buffer.from('c008b814a7d269a1fa3c6528b19201a24d797912db9996ff02a1ff356e45552b', 'hex'),
}

/** Money that is sent to a wrong address is lost. */
function areAsPublished({ keyedHash, publicKeyOf, checksumOf }: KeyFunctions): boolean {
  const { secretKey, publicKey } = published
  const text = publicKey.subarray(0, 20)
  return (
    publicKey.equals(publicKeyOf(secretKey)) &&
    Buffer.from(definedKeys.keyedHash(text, secretKey)).equals(keyedHash(text, secretKey)) &&
    Buffer.from(definedKeys.checksumOf(publicKey)).equals(checksumOf(publicKey))
  )
}

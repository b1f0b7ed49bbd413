import { eddsa } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'

// Nano's Ed25519 hashes with blake2b-512 instead of SHA-512. We refuse signatures whose second half is not reduced, so
// that a message and key have exactly one signature. Nodes accept more than one, so never look anything up by signature.
const curve = eddsa(ed25519.Point, blake2b, {
  adjustScalarBytes(bytes: Uint8Array) {
    bytes[0]! &= 248
    bytes[31]! &= 127
    bytes[31]! |= 64
    return bytes
  },
  zip215: false,
})

const keyBytes = 32
const signatureBytes = 64

/** Derives the secret key of the account with this 32-bit index from a seed. */
export function deriveSecretKey(seed: Uint8Array, index: number): Uint8Array {
  if (seed.length !== keyBytes) throw new RangeError(`a seed has ${keyBytes} bytes, not ${seed.length}`)
  if (!Number.isInteger(index) || index < 0 || index > 0xffff_ffff) throw new RangeError(`${index} is not an index`)
  const indexBytes = new Uint8Array(4)
  new DataView(indexBytes.buffer).setUint32(0, index)
  return blake2b(concatBytes(seed, indexBytes), { dkLen: keyBytes })
}

export const publicKeyOf = (secretKey: Uint8Array): Uint8Array => curve.getPublicKey(secretKey)

export const signBytes = (bytes: Uint8Array, secretKey: Uint8Array): Uint8Array => curve.sign(bytes, secretKey)

/** Both keys of an account. Deriving the public key takes half the time of a signature, so it is kept. */
export interface KeyPair {
  readonly publicKey: Uint8Array
  sign(bytes: Uint8Array): Uint8Array
}

export function keyPairOf(secretKey: Uint8Array): KeyPair {
  const { prefix, scalar, pointBytes: publicKey } = curve.utils.getExtendedPublicKey(secretKey)
  const { BASE, Fn } = curve.Point
  const scalarOf = (...parts: Uint8Array[]) => Fn.create(bytesToNumberLE(blake2b(concatBytes(...parts))))
  return {
    publicKey,
    // RFC 8032, section 5.1.6: `curve.sign` without deriving the public key again.
    sign(bytes) {
      const nonce = scalarOf(prefix, bytes)
      const point = BASE.multiply(nonce).toBytes()
      const proof = Fn.create(nonce + scalarOf(point, publicKey, bytes) * scalar)
      return concatBytes(point, Fn.toBytes(proof))
    },
  }
}

/** Whether a signature of these bytes is valid. Returns false for malformed keys and signatures; never throws. */
export function hasSigned(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== keyBytes || signature.length !== signatureBytes) return false
  return curve.verify(signature, bytes, publicKey)
}

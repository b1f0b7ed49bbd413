import { createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** Derived from the public key. */
  readonly keyId: string
}

// An Ed25519 private key is 32 bytes; this is the fixed PKCS #8 header before them.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Derives an Ed25519 key from a secret. Ed25519 is deterministic: signing the same bytes gives the same signature. */
export function signingKey(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const keyId = createHmac('sha256', 'key-id')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
    .slice(0, 12)
  return { privateKey, publicKey, keyId }
}

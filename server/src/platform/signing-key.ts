import { createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** Follows from the public key. */
  readonly keyId: string
}

// An Ed25519 private key is 32 bytes; this is the fixed wrapping that PKCS #8 puts around them.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 key of a secret. It signs the same bytes the same way each time. */
export function signingKey(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const keyId = createHmac('sha256', 'key-id')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
    .slice(0, 12)
  return { privateKey, publicKey, keyId }
}

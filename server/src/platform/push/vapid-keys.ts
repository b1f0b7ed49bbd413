import { createECDH, createHash } from 'node:crypto'
import type { Secrets } from '../secrets.ts'

export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/**
 * The VAPID key pair that identifies us to push services. It is derived like every other secret, because browsers
 * subscribe to the public key and it must be the same after every start.
 */
export function vapidKeys(secrets: Secrets): VapidKeys {
  const curve = createECDH('prime256v1')
  for (let seed = secrets.key('vapid'); ; seed = createHash('sha256').update(seed).digest()) {
    try {
      curve.setPrivateKey(seed)
      // The seed itself: getPrivateKey() would drop a leading zero.
      return { publicKey: curve.getPublicKey('base64url'), privateKey: seed.toString('base64url') }
    } catch {
      // The seed exceeds the curve's order (one in four billion do): try the next one.
    }
  }
}

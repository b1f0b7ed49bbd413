import { createECDH, createHash } from 'node:crypto'
import type { Secrets } from '../secrets.ts'

export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/**
 * The key pair by which push services know us, derived like every other secret: browsers subscribe to the public half,
 * so it must be the same after every start.
 */
export function vapidKeys(secrets: Secrets): VapidKeys {
  const curve = createECDH('prime256v1')
  for (let seed = secrets.key('vapid'); ; seed = createHash('sha256').update(seed).digest()) {
    try {
      curve.setPrivateKey(seed)
      // The seed itself: the curve would leave out a zero at its beginning.
      return { publicKey: curve.getPublicKey('base64url'), privateKey: seed.toString('base64url') }
    } catch {
      // Beyond the curve's order, which one in four thousand million seeds is: take the next.
    }
  }
}

import { hkdfSync, randomBytes } from 'node:crypto'
import { readOrCreateSecret } from './data-dir.ts'

/** Keys that the service uses internally. Each is derived, for one purpose, from the secret in DATA_DIR. */
export interface Secrets {
  key(purpose: string): Buffer
}

export async function openSecrets(dataDir: string): Promise<Secrets> {
  return secretsFrom(await readOrCreateSecret(dataDir, 'service-secret', () => randomBytes(32).toString('hex')))
}

export function secretsFrom(master: string): Secrets {
  const derived = new Map<string, Buffer>()
  return {
    key(purpose) {
      const known = derived.get(purpose)
      if (known) return known
      const key = Buffer.from(hkdfSync('sha256', master, 'pennypost', purpose, 32))
      derived.set(purpose, key)
      return key
    },
  }
}

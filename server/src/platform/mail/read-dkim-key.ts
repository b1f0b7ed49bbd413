import { createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { StartError } from '../data-dir.ts'
import type { DkimKey } from './smtp-mailer.ts'

interface DkimSettings {
  readonly selector: string
  readonly domain: string
  readonly keyFile: string
}

/** Reads the private key for DKIM. The service does not start with one that could not sign. */
export async function readDkimKey({ selector, domain, keyFile }: DkimSettings): Promise<DkimKey> {
  const privateKey = await readFile(keyFile, 'utf8').catch(() => {
    throw new StartError(`DKIM_KEY_FILE: cannot read ${keyFile}`)
  })
  if (!isUsable(privateKey))
    throw new StartError('DKIM_KEY_FILE: must be an RSA private key of at least 1024 bits, as PEM')
  return { domainName: domain, keySelector: selector, privateKey }
}

function isUsable(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 1024
  } catch {
    return false
  }
}

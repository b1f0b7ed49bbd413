import { signInMalformed } from '@pennypost/contract/siwx-logins'
import { hasWalletSigned } from '../../accounts/wallets/siwx-proof.ts'
import type { Wallet } from '../../payments/entitlements/entitlement-store.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { readSiwxHeader, siwxFault, siwxMessage } from '../../rails/base/siwx/siwx-message.ts'
import { takeProofLimit } from '../proof-limit.ts'
import type { AccessServices } from '../services.ts'
import { burnNonce } from './nonce-store.ts'
import { nonceEnd, nonceSeconds, writeNonce } from './read-nonce.ts'

const chainId = 'eip155:8453'

/** §5: the exact resource that a wallet signs to read. */
export const readUri = (resourceUrl: string): string => `${resourceUrl}?siwx=read`

/** The challenge in a 402: whoever paid before signs it instead of paying again. */
export function siwxExtension({ secrets, clock }: Pick<AccessServices, 'secrets' | 'clock'>, resourceUrl: string) {
  const uri = readUri(resourceUrl)
  const now = clock.now()
  return {
    'sign-in-with-x': {
      info: {
        domain: new URL(resourceUrl).host,
        uri,
        version: '1',
        nonce: writeNonce(secrets, uri, now),
        issuedAt: now.toISOString(),
        expirationTime: new Date(now.getTime() + nonceSeconds * 1000).toISOString(),
        statement: 'Read what this wallet paid for.',
      },
      supportedChains: [{ chainId, type: 'eip191' }],
      schema: { type: 'object', required: ['address', 'chainId', 'type', 'signature'] },
    },
  }
}

/** The wallet that signed our challenge for this resource, just now and once. Undefined: nobody did. */
export async function readingWallet(
  services: AccessServices,
  header: string | undefined,
  resourceUrl: string,
  ip: string,
): Promise<Wallet | undefined> {
  if (header === undefined) return undefined
  const { db, clock, secrets } = services
  const proof = readSiwxHeader(header) ?? refuse(signInMalformed)
  const uri = readUri(resourceUrl)
  const now = clock.now()
  const expected = { domain: new URL(resourceUrl).host, uri, chainIds: [chainId], now }
  const end = nonceEnd(secrets, uri, proof.nonce, now)
  if (!end || siwxFault(proof, expected)) return undefined
  const { address, signature } = proof
  // A smart wallet's signature is asked of a chain.
  await takeProofLimit(services, ip)
  if (!(await hasWalletSigned(services, { address, message: siwxMessage(proof, address), signature }))) return undefined
  return (await burnNonce(db, proof.nonce, end)) ? { network: chainId, address } : undefined
}

import { signInMalformed } from '@pennypost/contract/siwx-logins'
import { hasWalletSigned } from '../../accounts/wallets/siwx-proof.ts'
import { takeProofLimit } from '../../payments/x402/take-payment.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { readSiwxHeader, siwxFault, siwxMessage } from '../../rails/base/siwx/siwx-message.ts'
import type { WalletClaim } from '../may-read.ts'
import type { AccessServices } from '../services.ts'
import { burnNonce } from './nonce-store.ts'
import { nonceEnd, nonceSeconds, writeNonce } from './read-nonce.ts'

const chainId = 'eip155:8453'

/** The exact resource that a wallet signs to read. */
export const readUri = (resourceUrl: string): string => `${resourceUrl}?siwx=read`

/** The challenge in a 402: a wallet that paid before signs it instead of paying again. */
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

/** What a `SIGN-IN-WITH-X` header claims: that its wallet signed our challenge for this resource, just now and once. */
export function walletClaim(
  services: AccessServices,
  header: string | undefined,
  resourceUrl: string,
  ip: string,
): WalletClaim | undefined {
  if (header === undefined) return undefined
  const proof = readSiwxHeader(header)
  return {
    wallet: proof && { network: chainId, address: proof.address },
    isProved: () => isProved(services, proof ?? refuse(signInMalformed), resourceUrl, ip),
  }
}

async function isProved(
  services: AccessServices,
  proof: NonNullable<ReturnType<typeof readSiwxHeader>>,
  resourceUrl: string,
  ip: string,
): Promise<boolean> {
  const { db, clock, secrets } = services
  const uri = readUri(resourceUrl)
  const now = clock.now()
  const expected = { domain: new URL(resourceUrl).host, uri, chainIds: [chainId], now }
  const end = nonceEnd(secrets, uri, proof.nonce, now)
  if (!end || siwxFault(proof, expected)) return false
  const { address, signature } = proof
  // For a smart wallet's signature a chain is asked.
  await takeProofLimit(services, ip)
  const isSigned = await hasWalletSigned(services, { address, message: siwxMessage(proof, address), signature })
  return isSigned && burnNonce(db, proof.nonce, end)
}

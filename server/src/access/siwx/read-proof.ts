import { signInMalformed } from '@pennypost/contract/siwx-logins'
import { sql } from 'kysely'
import { hasWalletSigned } from '../../accounts/wallets/siwx-proof.ts'
import { takeProofLimit } from '../../payments/x402/take-payment.ts'
import type { Db } from '../../platform/database/database.ts'
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { readSiwxHeader, siwxFault, siwxMessage } from '../../rails/base/siwx/siwx-message.ts'
import type { WalletClaim } from '../may-read.ts'
import type { AccessServices } from '../services.ts'
import { nonceEnd, readUri, siwxChainId } from '../x402/siwx-challenge.ts'

interface ReadRequest {
  readonly query: { readonly gift?: string | undefined }
  readonly headers: { readonly 'sign-in-with-x'?: string | undefined }
  readonly ip: string
}

/**
 * The claim of a `SIGN-IN-WITH-X` header: that its wallet signed our challenge for this resource, just now and once. A
 * wallet signs the exact URI, so call this only for `?siwx=read`, and a request with a gift is not that URI either.
 */
export function walletClaim(
  services: AccessServices,
  { query, headers, ip }: ReadRequest,
  resourceUrl: string,
): WalletClaim | undefined {
  const header = headers['sign-in-with-x']
  if (header === undefined || query.gift !== undefined) return undefined
  const proof = readSiwxHeader(header)
  return {
    wallet: proof && { network: siwxChainId, address: proof.address },
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
  const expected = { domain: new URL(resourceUrl).host, uri, chainIds: [siwxChainId], now }
  const end = nonceEnd(secrets, uri, proof.nonce, now)
  if (!end || siwxFault(proof, expected)) return false
  const { address, signature } = proof
  // For a smart wallet's signature a chain is asked.
  await takeProofLimit(services, ip)
  const isSigned = await hasWalletSigned(services, { address, message: siwxMessage(proof, address), signature })
  return isSigned && burnNonce(db, proof.nonce, end)
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    spent_nonces: { nonce: string; expires_at: Date }
  }
}

/** Returns false if the nonce was used before. It is one statement, so only one of several concurrent requests succeeds. */
async function burnNonce(db: Db, nonce: string, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_nonces')
    .values({ nonce, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Expired nonces are refused without a lookup, so they need not be kept. */
export const deleteExpiredNonces = (db: Db, now: Date): Promise<void> =>
  deleteInBatches(db, 'spent_nonces', sql`expires_at < ${now}`)

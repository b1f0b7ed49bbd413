import { amountOf } from '@pennypost/contract/money'
import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import { parseBaseAddress } from '../../base-address.ts'
import type { Hex } from '../rpc/chain-answers.ts'
import type { PaymentProof, WrittenAuthorization } from './facilitator.ts'

/** What a payer signed (EIP-3009). Presenting it to the token moves the money, once, whoever presents it. */
export interface Authorization {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

/** The token that payments are made in. */
export interface Token {
  readonly network: 'eip155:8453'
  readonly address: Hex
  /** The EIP-712 domain. Wallets sign it: with one letter wrong, no signature fits. */
  readonly name: 'USD Coin'
  readonly version: '2'
}

const Address = z.string().transform((text, context) => {
  const address = parseBaseAddress(text)
  if (address) return address as Hex
  context.addIssue({ code: 'custom', message: 'is no address' })
  return z.NEVER
})
const Uint256 = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n)
const hexOf = (bytes: RegExp) => z.string().regex(bytes).toLowerCase() as unknown as z.ZodType<Hex, string>

// A passkey's signature, wrapped for a wallet that is not deployed yet, has about 2 KB.
const mostSignatureDigits = 16_384

const ExactPayload = z.object({
  authorization: z.object({
    from: Address,
    to: Address,
    value: Uint256,
    validAfter: Uint256,
    validBefore: Uint256,
    nonce: hexOf(/^0x[0-9a-fA-F]{64}$/),
  }),
  signature: hexOf(new RegExp(`^0x([0-9a-fA-F]{2}){1,${mostSignatureDigits / 2}}$`)),
})

/** Reads an authorization from a payload. Undefined: it is malformed. */
export function readAuthorization(payload: unknown): Authorization | undefined {
  const found = ExactPayload.safeParse(payload)
  return found.success ? { ...found.data.authorization, signature: found.data.signature } : undefined
}

// A block or two must fit in.
const leastSecondsLeft = 6n
// While it is good, anyone who saw it may use it, and we have to look. Stock clients take the 300 seconds of an offer.
const mostSecondsLeft = 3_600n

/** x402's word for an authorization that has run out. It may have been used in time: only the chain can tell. */
export const runOut = 'invalid_exact_evm_payload_authorization_valid_before'

/** What is wrong with a payment as far as can be told without the chain, in x402's words. Undefined: nothing is. */
export function faultOf(
  { payload, requirements }: PaymentProof,
  authorization: Authorization | undefined,
  token: Token,
  clock: Clock,
): string | undefined {
  const { scheme, network, asset, extra } = requirements
  if (payload.x402Version !== 2) return 'invalid_x402_version'
  if (scheme !== 'exact' || payload.accepted?.scheme !== 'exact') return 'invalid_exact_evm_scheme'
  if (network !== token.network || payload.accepted.network !== token.network)
    return 'invalid_exact_evm_network_mismatch'
  if (asset.toLowerCase() !== token.address.toLowerCase()) return 'invalid_exact_evm_asset_mismatch'
  if (extra.name !== token.name || extra.version !== token.version) return 'invalid_exact_evm_missing_eip712_domain'
  if (!authorization) return 'unsupported_payload_type'
  if (authorization.to.toLowerCase() !== requirements.payTo.toLowerCase()) return 'invalid_exact_evm_recipient_mismatch'
  if (authorization.value !== BigInt(requirements.amount))
    return 'invalid_exact_evm_payload_authorization_value_mismatch'
  const now = BigInt(Math.floor(clock.now().getTime() / 1000))
  if (authorization.validBefore < now + leastSecondsLeft) return runOut
  if (authorization.validBefore > now + mostSecondsLeft) return 'invalid_exact_evm_payload_authorization_too_long'
  if (authorization.validAfter > now) return 'invalid_exact_evm_payload_authorization_valid_after'
  return undefined
}

/** What is written down of it before anything is signed. */
export const writtenOf = (
  { from: payer, to: payTo, value, nonce, validBefore }: Authorization,
  seenAtBlock: bigint | undefined,
): WrittenAuthorization => ({
  payer,
  payTo,
  amountAtomic: amountOf('USDC', value),
  nonce,
  validBefore,
  seenAtBlock,
  transactions: [],
})

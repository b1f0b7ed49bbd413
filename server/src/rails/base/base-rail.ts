import { amountOf } from '@pennypost/contract/money'
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { Checked, NotPayable, PaymentTerms, Rail } from '../rail.ts'
import type { WrittenPayment } from '../settlement.ts'
import type { BaseRail as Base } from './base.ts'
import { parseBaseAddress } from './parse-base-address.ts'
import type {
  Authorization,
  Facilitator,
  PaymentProof,
  Settlement,
  Token,
  WrittenAuthorization,
} from './payment/facilitator.ts'
import type { Hex } from './rpc/chain-replies.ts'

/** USDC on Base goes straight from the payer to the author: the payer signs, and we present the signature to the token. */
export const baseRail: Rail<'USDC'> = {
  asset: 'USDC',
  network: 'eip155:8453',
  isCustodial: false,
  walletKind: 'evm',
  receives: 'receives_base',
  totalSupply: null,
  // The EIP-712 domain of USDC on Base. A signature for any other domain is worthless.
  signingDomain: { name: 'USD Coin', version: '2' },
  isNamedByNonce: false,
  minimum: { post: amountOf('USDC', 100_000n), postWithZip: amountOf('USDC', 250_000n) },
  assetName: ({ config }) => config.usdcAddress,
  offer: async (_, { recipient }) => ({ payTo: recipient, derivation: null }),
  recognize(payload) {
    const authorization = readAuthorization(payload)
    return (
      authorization && {
        nonce: authorization.nonce,
        payer: authorization.from,
        isSame: (proof) => textOf((proof as PaymentProof).payload.payload) === textOf(payload),
      }
    )
  },
  async check({ base }, payload, terms) {
    return base ? check(base, payload, terms) : { kind: 'invalid', reason: 'rail_off' }
  },
  async settle({ base }, { proof, seenAtBlock, gas, store }) {
    if (!base) return isOff
    const facilitator = await base.facilitator()
    const settlement = await facilitator.settle(proof as PaymentProof, { seenAtBlock, store, gas })
    base.settlements.inc({ outcome: settlement.kind })
    return settlement
  },
  async reconcile({ base }, payment) {
    if (!base) return isOff
    return (await base.facilitator()).reconcile(authorizationOf(payment), payment.store)
  },
}

const isOff: Settlement = { kind: 'uncertain', transaction: undefined, cause: 'this service does not take USDC now' }

/** Everything that was signed, and the signature, in a canonical form. */
const textOf = (payload: unknown): string =>
  JSON.stringify(readAuthorization(payload), (_, value) => (typeof value === 'bigint' ? String(value) : value))

async function check(base: Base, payload: unknown, { requirements, listing }: PaymentTerms<'USDC'>): Promise<Checked> {
  const accepted = requirements as PaymentProof['requirements']
  const presented = { x402Version: 2, payload: { ...(payload as object) }, accepted, ...listing }
  const proof: PaymentProof = { payload: presented, requirements: accepted }
  const verdict = await (await base.facilitator()).verify(proof)
  base.verdicts.inc({ outcome: verdict.kind })
  if (verdict.kind === 'unavailable') return { kind: 'unavailable' }
  if (verdict.kind === 'invalid') return invalid(base, payload, verdict.reason)
  const { payer, nonce, validBefore, seenAtBlock = null, gas, isContract } = verdict
  const signed = { proof, previous: null, validBefore, seenAtBlock }
  return { kind: 'payable', payer, nonce, isSent: false, ...signed, gas, isContract }
}

function invalid({ chain, token }: Base, payload: unknown, reason: string): NotPayable {
  const authorization = readAuthorization(payload)
  if (!chain || !authorization || !/insufficient/.test(reason)) return { kind: 'invalid', reason }
  const isSigned = async () => {
    // Loaded with the first payment, because it imports our largest library.
    const { isSignedByPayer } = await import('./payment/is-signed-by-payer.ts')
    return isSignedByPayer(authorization, token, chain)
  }
  return { kind: 'invalid', reason, withoutMoney: { payer: authorization.from, isSigned } }
}

const authorizationOf = (payment: WrittenPayment<'USDC'>) => ({
  payer: payment.payer,
  nonce: payment.nonce as Hex,
  payTo: payment.payTo,
  amountAtomic: payment.amount,
  validBefore: payment.validBefore!,
  seenAtBlock: payment.seenAtBlock,
  transactions: payment.transactions,
})

const Address = z.string().transform((text, context) => {
  const address = parseBaseAddress(text)
  if (address) return address as Hex
  context.addIssue({ code: 'custom', message: 'is not an address' })
  return z.NEVER
})
const Uint256 = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n)
const hexOf = (bytes: RegExp) => z.string().regex(bytes).toLowerCase() as unknown as z.ZodType<Hex, string>

// A passkey's signature, wrapped for a wallet that is not deployed yet, has about 2 KB.
const maxSignatureDigits = 16_384

const ExactPayload = z.object({
  authorization: z.object({
    from: Address,
    to: Address,
    value: Uint256,
    validAfter: Uint256,
    validBefore: Uint256,
    nonce: hexOf(/^0x[0-9a-fA-F]{64}$/),
  }),
  signature: hexOf(new RegExp(`^0x([0-9a-fA-F]{2}){1,${maxSignatureDigits / 2}}$`)),
})

/** Reads an authorization from a payload. Returns undefined if it is malformed. */
export function readAuthorization(payload: unknown): Authorization | undefined {
  const found = ExactPayload.safeParse(payload)
  return found.success ? { ...found.data.authorization, signature: found.data.signature } : undefined
}

// Leaves enough time for a block or two.
const minSecondsLeft = 6n
// While it is valid, anyone who has seen it may use it, and we have to keep checking. Stock clients use the 300 seconds of an offer.
const maxSecondsLeft = 3_600n

/** The x402 reason for an expired authorization. It may still have been used in time, which only the chain shows. */
export const runOut = 'invalid_exact_evm_payload_authorization_valid_before'

/** Checks a payment without the chain. Returns the x402 reason why it is invalid, or undefined. */
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
  if (authorization.validBefore < now + minSecondsLeft) return runOut
  if (authorization.validBefore > now + maxSecondsLeft) return 'invalid_exact_evm_payload_authorization_too_long'
  if (authorization.validAfter > now) return 'invalid_exact_evm_payload_authorization_valid_after'
  return undefined
}

/** The fields that are stored before anything is signed. */
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

/** Single-flight: the same proof, presented again while it is being settled, waits for the same settlement. */
export function oncePerProof(settle: Facilitator['settle']): Facilitator['settle'] {
  const underWay = new Map<string, Promise<Settlement>>()
  return (proof, options) => {
    const key = JSON.stringify(proof.payload.payload).toLowerCase()
    const known = underWay.get(key)
    if (known) return known
    const settlement = settle(proof, options).finally(() => underWay.delete(key))
    underWay.set(key, settlement)
    return settlement
  }
}

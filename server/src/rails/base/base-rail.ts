import { amountOf } from '@pennypost/contract/money'
import type { Checked, NotPayable, PaymentTerms, Rail } from '../rail.ts'
import type { Settlement, WrittenPayment } from '../settlement.ts'
import type { BaseRail as Base } from './base.ts'
import { readAuthorization } from './payment/authorization.ts'
import type { PaymentProof } from './payment/facilitator.ts'
import type { Hex } from './rpc/chain-answers.ts'

/** USDC on Base goes straight from the payer to the author: the payer signs, and we present the signature to the token. */
export const baseRail: Rail<'USDC'> = {
  asset: 'USDC',
  network: 'eip155:8453',
  isCustodial: false,
  receives: 'receives_base',
  most: null,
  // The domain that Base's own USDC signs under (EIP-712). With any other, a signature fits nothing.
  signingDomain: { name: 'USD Coin', version: '2' },
  isNamedByNonce: false,
  minimum: { post: amountOf('USDC', 100_000n), postWithZip: amountOf('USDC', 250_000n) },
  isOn: ({ base }) => base !== undefined,
  assetName: ({ config }) => config.usdcAddress,
  offer: (_, { recipient }) => ({ payTo: recipient, derivation: null }),
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
    return base ? base.facilitator.settle(proof as PaymentProof, { seenAtBlock, store, gas }) : isOff
  },
  async lookAgain({ base }, payment) {
    return base ? base.facilitator.reconcile(authorizationOf(payment), payment.store) : isOff
  },
}

const isOff: Settlement = { kind: 'uncertain', transaction: undefined, cause: 'this service does not take USDC now' }

/** All that was signed, and the signature, in one spelling. */
const textOf = (payload: unknown): string =>
  JSON.stringify(readAuthorization(payload), (_, value) => (typeof value === 'bigint' ? String(value) : value))

async function check(base: Base, payload: unknown, { requirements, listing }: PaymentTerms<'USDC'>): Promise<Checked> {
  const accepted = requirements as PaymentProof['requirements']
  const presented = { x402Version: 2, payload: { ...(payload as object) }, accepted, ...listing }
  const proof: PaymentProof = { payload: presented, requirements: accepted }
  const verdict = await base.facilitator.verify(proof)
  if (verdict.kind === 'unavailable') return { kind: 'unavailable' }
  if (verdict.kind === 'invalid') return invalid(base, payload, verdict.reason)
  const { payer, nonce, validBefore, seenAtBlock = null, gas } = verdict
  return { kind: 'payable', payer, nonce, isSent: false, proof, previous: null, validBefore, seenAtBlock, gas }
}

function invalid({ chain, token }: Base, payload: unknown, reason: string): NotPayable {
  const authorization = readAuthorization(payload)
  if (!chain || !authorization || !/insufficient/.test(reason)) return { kind: 'invalid', reason }
  const isSigned = async () => {
    // Loaded with the first payment: it brings the largest of our libraries.
    const { isSignedByPayer } = await import('./payment/signed-by-payer.ts')
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

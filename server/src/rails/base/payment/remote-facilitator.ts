import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import { NodeNonsense } from '../../node-errors.ts'
import { postJson } from '../../post-json.ts'
import { faultOf, oncePerProof, readAuthorization, runOut, writtenOf } from '../base-rail.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { Facilitator, PaymentProof, Settlement, Token, WrittenAuthorization } from './facilitator.ts'

export interface RemoteFacilitatorParts {
  readonly url: string
  readonly token: Token
  /** Where there is a chain, it has the last word. */
  readonly chain: ChainClient | undefined
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs?: number
  readonly patienceMs?: number
}

const Verified = z.object({ isValid: z.boolean(), invalidReason: z.string().max(200).optional() })
const Settled = z.object({
  success: z.boolean(),
  errorReason: z.string().max(200).optional(),
  transaction: z.string().max(200).optional(),
  network: z.string().optional(),
})
type Settled = z.infer<typeof Settled>

const hashIn = ({ transaction }: Settled): string | undefined =>
  /^0x[0-9a-fA-F]{64}$/.test(transaction ?? '') ? transaction : undefined
const lookEveryMs = 250

/** A remote x402 facilitator. What can be checked here is checked here; for the rest we rely on it. */
export function createRemoteFacilitator(parts: RemoteFacilitatorParts): Facilitator {
  const { url, token, chain, clock, log, timeoutMs = 20_000, patienceMs = 10_000 } = parts
  const rest = createCircuitBreaker('the facilitator', { clock, log })

  async function ask<T>(what: 'verify' | 'settle', proof: PaymentProof, answer: z.ZodType<T>): Promise<T> {
    const { payload, requirements } = proof
    const question = { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements }
    return rest.run(what, async () => {
      const acceptsStatus = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429
      const found = answer.safeParse(
        await postJson(`${url.replace(/\/$/, '')}/${what}`, what, question, { timeoutMs, acceptsStatus }),
      )
      if (found.success) return found.data
      throw new NodeNonsense(`${what}: the facilitator's answer is none`)
    })
  }

  /** Confirms on the chain what the facilitator calls settled. */
  async function settledAsSaid(said: Settled, written: WrittenAuthorization): Promise<Settlement> {
    const transaction = hashIn(said)
    if (said.network !== token.network || !transaction)
      return { kind: 'uncertain', transaction, cause: 'the facilitator names no transaction of this network' }
    if (!chain) return { kind: 'settled', transaction, payer: written.payer }
    const begunAt = performance.now()
    const payment = { ...written, transactions: [{ hash: transaction }] }
    for (;;) {
      const found = await asTheChainSays(payment, 'the facilitator says settled, the chain does not')
      if (found.kind !== 'uncertain' || performance.now() - begunAt > patienceMs) {
        if (found.kind !== 'settled') log.error({ transaction }, 'the facilitator says settled, the chain does not')
        return found
      }
      await wait(lookEveryMs)
    }
  }

  /**
   * Whatever went wrong there, the facilitator has the authorization and may still use it. Only the chain ends a payment,
   * by showing the money, or that none can come.
   */
  async function asTheChainSays(payment: WrittenAuthorization, cause: string): Promise<Settlement> {
    const transaction = payment.transactions.at(-1)?.hash
    if (!chain) return { kind: 'uncertain', transaction, cause }
    try {
      // Loaded with the first payment: it brings the largest of our libraries.
      const { reconciled } = await import('./evidence.ts')
      const found = await reconciled(chain, token, payment)
      if (found.kind === 'settled' || (found.kind === 'refused' && found.isFinal)) return found
    } catch (error) {
      log.warn({ cause: (error as Error).message }, 'the chain could not be asked what became of a payment')
    }
    return { kind: 'uncertain', transaction, cause }
  }

  async function isSpentBy(node: ChainClient, payment: Pick<WrittenAuthorization, 'payer' | 'nonce'>, block: bigint) {
    const { isSpent } = await import('./usdc-token.ts')
    return isSpent(node, token, payment, block)
  }

  return {
    async verify(proof) {
      const authorization = readAuthorization(proof.payload.payload)
      const fault = faultOf(proof, authorization, token, clock)
      if (fault || !authorization) return { kind: 'invalid', reason: fault ?? 'unsupported_payload_type' }
      try {
        const { from: payer, nonce, validBefore } = authorization
        const seenAtBlock = (await chain?.newestBlock())?.number
        // We look ourselves: a facilitator that remembers what it settled may call it valid, and settled, once more.
        if (chain && (await isSpentBy(chain, { payer, nonce }, seenAtBlock!)))
          return { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' }
        const { isValid, invalidReason } = await ask('verify', proof, Verified)
        if (!isValid) return { kind: 'invalid', reason: invalidReason ?? 'invalid_payload' }
        return { kind: 'valid', payer, nonce, validBefore, seenAtBlock }
      } catch (error) {
        return { kind: 'unavailable', cause: (error as Error).message }
      }
    },

    settle: oncePerProof(async (proof, { seenAtBlock }) => {
      const authorization = readAuthorization(proof.payload.payload)
      const fault = faultOf(proof, authorization, token, clock)
      if (!authorization) return { kind: 'refused', reason: 'unsupported_payload_type', isFinal: true }
      if (fault && fault !== runOut) return { kind: 'refused', reason: fault, isFinal: false }
      const written = writtenOf(authorization, seenAtBlock)
      // Nothing is sent now; an earlier try, whose reply was lost, may have been in time.
      if (fault) return asTheChainSays(written, fault)
      let said: Settled
      try {
        said = await ask('settle', proof, Settled)
      } catch (error) {
        // It may have received the request or not: a timeout is not a failure.
        return asTheChainSays(written, (error as Error).message)
      }
      if (said.success) return settledAsSaid(said, written)
      const transaction = hashIn(said)
      const transactions = transaction ? [{ hash: transaction }] : []
      return asTheChainSays({ ...written, transactions }, said.errorReason ?? 'unexpected_settle_error')
    }),

    reconcile: (written) => asTheChainSays(written, 'the chain does not show what became of it'),

    async check() {
      if (rest.isOpen()) throw new Error('the facilitator does not respond')
      await chain?.newestBlock()
    },
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import { MalformedReply } from '../../node-errors.ts'
import { postJson } from '../../post-json.ts'
import { faultOf, oncePerProof, readAuthorization, runOut, writtenOf } from '../base-rail.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { Facilitator, PaymentProof, Settlement, Token, WrittenAuthorization } from './facilitator.ts'
import { credentialHeaders, type FacilitatorCredentials } from './facilitator-credentials.ts'

export interface RemoteFacilitatorParts {
  readonly url: string
  readonly credentials?: FacilitatorCredentials | undefined
  readonly token: Token
  /** If there is a chain, it decides the outcome. */
  readonly chain: ChainClient | undefined
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs?: number
  readonly settleTimeoutMs?: number
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
const checkEveryMs = 250

// A facilitator may reject a payment with one of these. The others say that it did not look at the payment: the credentials
// are wrong (401, 403), it was too slow, or it is asked too often.
const acceptsStatus = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)

/** A remote x402 facilitator. We check what we can ourselves and rely on it for the rest. */
export function createRemoteFacilitator(parts: RemoteFacilitatorParts): Facilitator {
  const { url, credentials, token, chain, clock, log, timeoutMs = 20_000, settleTimeoutMs = 10_000 } = parts
  const breaker = createCircuitBreaker('the facilitator', { clock, log })

  async function call<T>(what: 'verify' | 'settle', proof: PaymentProof, schema: z.ZodType<T>): Promise<T> {
    const { payload, requirements } = proof
    const question = { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements }
    return breaker.run(what, async () => {
      const address = new URL(`${url.replace(/\/$/, '')}/${what}`)
      const headers = credentialHeaders(credentials, address, clock.now())
      const found = schema.safeParse(
        await postJson(address.href, what, question, {
          target: 'facilitator',
          timeoutMs,
          acceptsStatus,
          headers,
        }),
      )
      if (found.success) return found.data
      throw new MalformedReply(`${what}: the facilitator's reply is invalid`)
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
      const found = await asTheChainSays(
        payment,
        'the facilitator reports a payment as settled, but the chain does not show it',
      )
      if (found.kind !== 'uncertain' || performance.now() - begunAt > settleTimeoutMs) {
        if (found.kind !== 'settled')
          log.error({ transaction }, 'the facilitator reports a payment as settled, but the chain does not show it')
        return found
      }
      await wait(checkEveryMs)
    }
  }

  /**
   * Whatever went wrong, the facilitator has the authorization and may still use it. Only the chain decides the outcome, by
   * showing that the money moved or that it no longer can.
   */
  async function asTheChainSays(payment: WrittenAuthorization, cause: string): Promise<Settlement> {
    const transaction = payment.transactions.at(-1)?.hash
    if (!chain) return { kind: 'uncertain', transaction, cause }
    try {
      // Loaded with the first payment, because it imports our largest library.
      const { reconciled } = await import('./evidence.ts')
      const found = await reconciled(chain, token, payment)
      if (found.kind === 'settled' || (found.kind === 'refused' && found.isFinal)) return found
    } catch (error) {
      log.warn({ cause: (error as Error).message }, 'could not read the outcome of a payment from the chain')
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
        // We check this ourselves, because a facilitator may report a payment that it settled before as valid and settled again.
        if (chain && (await isSpentBy(chain, { payer, nonce }, seenAtBlock!)))
          return { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' }
        const { isValid, invalidReason } = await call('verify', proof, Verified)
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
      // Nothing is sent now. But an earlier try, whose reply was lost, may have been in time.
      if (fault) return asTheChainSays(written, fault)
      let said: Settled
      try {
        said = await call('settle', proof, Settled)
      } catch (error) {
        // It may have received the request: a timeout is not a failure.
        return asTheChainSays(written, (error as Error).message)
      }
      if (said.success) return settledAsSaid(said, written)
      const transaction = hashIn(said)
      const transactions = transaction ? [{ hash: transaction }] : []
      return asTheChainSays({ ...written, transactions }, said.errorReason ?? 'unexpected_settle_error')
    }),

    reconcile: (written) => asTheChainSays(written, 'the chain does not show the outcome yet'),

    async check() {
      if (breaker.isOpen()) throw new Error('the facilitator does not respond')
      await chain?.newestBlock()
    },
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Store } from '../../settlement.ts'
import type { Hex } from '../rpc/chain-answers.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import { type Authorization, faultOf, readAuthorization, runOut, type Token, writtenOf } from './authorization.ts'
import type { Facilitator, PaymentProof, Settlement, SettleOptions, WrittenAuthorization } from './facilitator.ts'
import { oncePerProof } from './once-per-proof.ts'
import { reconciled } from './reconcile.ts'
import { createSettler, type Sent } from './settler.ts'
import { checkToken } from './token-state.ts'
import { FactoryNotAllowed, mostGas, simulationFailed, type TransferCall, transferCall } from './transfer-call.ts'

export interface OwnFacilitatorParts {
  readonly chain: ChainClient
  readonly token: Token
  readonly settlerKey: Hex
  readonly walletFactories: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** How long `settle` waits for the transaction to be mined before it calls the outcome uncertain. */
  readonly patienceMs?: number
}

const recentMs = 2_000
// A block is two seconds on Base, and a few milliseconds on a development chain: soon at first, then ever less often.
const firstLookMs = 3
const lookEveryMs = 250
const handOverAgainEveryMs = 2_000
const leastGasMoney = 10n ** 13n
// A key's signature takes some 100,000, many a wallet's not much more: what goes through with it needs no other look.
const usualGas = 150_000n
/** What was enough a moment ago, and a little more. */
const withRoom = (gas: bigint): bigint => (gas * 13n) / 10n
// Fifteen blocks.
const stuckAfterMs = 30_000

/** Settles with a key of our own: checks by trying, one transaction a payment, the chain has the last word. */
export function createOwnFacilitator(parts: OwnFacilitatorParts): Facilitator {
  const { chain, token, clock, log, walletFactories, patienceMs = 15_000 } = parts
  const recentBlock = recently(recentMs, () => chain.newestBlock())
  const settler = createSettler({
    key: parts.settlerKey,
    chain,
    log,
    baseFee: async () => (await recentBlock()).baseFee,
  })
  let tokenChecked: Promise<void> | undefined

  /** Once it was there. */
  function tokenIsThere(): Promise<void> {
    tokenChecked ??= checkToken(chain, token).catch((error) => {
      tokenChecked = undefined
      throw error
    })
    return tokenChecked
  }

  const callFor = (authorization: Authorization) => transferCall(authorization, token, chain, walletFactories)

  async function settleNow(
    proof: PaymentProof,
    { seenAtBlock, store, gas: known }: SettleOptions,
  ): Promise<Settlement> {
    const authorization = readAuthorization(proof.payload.payload)
    const fault = faultOf(proof, authorization, token, clock)
    if (!authorization) return { kind: 'refused', reason: 'unsupported_payload_type', isFinal: true }
    if (fault && fault !== runOut) return { kind: 'refused', reason: fault, isFinal: false }
    const payment = writtenOf(authorization, seenAtBlock)
    let sent: Sent
    try {
      // Nothing is sent any more; an earlier try, or a stranger, may have been in time.
      if (fault) return await reconciled(chain, token, payment)
      const call = await callFor(authorization)
      const { gas, reason } = known === undefined ? await gasFor(call) : { gas: known }
      // Perhaps somebody else presented it since: then the money has arrived.
      if (gas === undefined) return await reconciled(chain, token, payment, reason)
      sent = await settler.send({ to: call.to, data: call.data, gas }, store)
    } catch (error) {
      if (error instanceof FactoryNotAllowed) return notAllowed
      return { kind: 'uncertain', transaction: undefined, cause: (error as Error).message }
    }
    return untilMined(sent, payment)
  }

  async function gasFor(call: TransferCall): Promise<{ gas?: bigint; reason?: string }> {
    try {
      const gas = await chain.estimateGas({ from: settler.address, to: call.to, data: call.data })
      return gas > mostGas ? { reason: simulationFailed } : { gas: withRoom(gas) }
    } catch (error) {
      if (!(error instanceof ChainRefusal)) throw error
      // Not the payment's fault: it is tried without a look at our purse.
      const reason = await call.simulate(chain, settler.address, mostGas)
      if (reason === undefined) throw error
      return { reason }
    }
  }

  /** Waits for the block. What got lost is handed over again, the same bytes. */
  async function untilMined({ transaction, outcome }: Sent, payment: WrittenAuthorization): Promise<Settlement> {
    const { hash, raw } = transaction
    let cause = 'cause' in outcome ? outcome.cause : 'it is not mined yet'
    const begunAt = performance.now()
    let handedOverAt = begunAt
    let pauseMs = firstLookMs
    while (performance.now() - begunAt <= patienceMs) {
      try {
        const receipt = await chain.receipt(hash)
        if (receipt) {
          settler.forget(transaction)
          const written = { ...payment, transactions: [{ hash, receipt }] }
          return await reconciled(chain, token, written, 'invalid_exact_evm_transaction_failed')
        }
        if (performance.now() - handedOverAt > handOverAgainEveryMs && !(await chain.knows(hash))) {
          handedOverAt = performance.now()
          const again = await chain.broadcast(raw, hash)
          if ('cause' in again) cause = again.cause
        }
      } catch (error) {
        cause = (error as Error).message
      }
      await wait(pauseMs)
      pauseMs = Math.min(lookEveryMs, pauseMs * 2)
    }
    settler.doubt(transaction)
    return { kind: 'uncertain', transaction: hash, cause }
  }

  /** Hands over what waits, the same bytes; and where that does not help, offers more for the newest. */
  async function pushOn({ transactions, validBefore }: WrittenAuthorization, store: Store): Promise<void> {
    for (const { raw, hash } of transactions) if (raw) await chain.broadcast(raw, hash)
    const last = transactions.at(-1)
    if (!last?.raw || !last.signedAt || last.signer !== settler.address) return
    const now = clock.now().getTime()
    // Once it has run out it would only be mined to fail.
    const isStuck = now - last.signedAt.getTime() > stuckAfterMs && now / 1000 < validBefore
    if (isStuck && !(await chain.receipt(last.hash))) await settler.raise(last.raw, store)
  }

  return {
    async verify(proof) {
      const authorization = readAuthorization(proof.payload.payload)
      const fault = faultOf(proof, authorization, token, clock)
      if (fault || !authorization) return { kind: 'invalid', reason: fault ?? 'unsupported_payload_type' }
      try {
        await tokenIsThere()
        // An earlier block than that of the try below: what that finds unused was unused in this one.
        const { number: seenAtBlock } = await recentBlock()
        const call = await callFor(authorization)
        const isUsual = (await call.simulate(chain, settler.address, usualGas)) === undefined
        const reason = isUsual ? undefined : await call.simulate(chain, settler.address, mostGas)
        if (reason) return { kind: 'invalid', reason }
        const { from: payer, nonce, validBefore } = authorization
        const gas = isUsual ? withRoom(usualGas) : undefined
        return { kind: 'valid', payer, nonce, validBefore, seenAtBlock, gas }
      } catch (error) {
        if (error instanceof FactoryNotAllowed) return { kind: 'invalid', reason: notAllowed.reason }
        return { kind: 'unavailable', cause: (error as Error).message }
      }
    },

    settle: oncePerProof(settleNow),

    async reconcile(written, store) {
      try {
        const found = await reconciled(chain, token, written)
        if (found.kind === 'uncertain') await pushOn(written, store)
        return found
      } catch (error) {
        return { kind: 'uncertain', transaction: written.transactions.at(-1)?.hash, cause: (error as Error).message }
      }
    },

    async check() {
      await tokenIsThere()
      if ((await chain.balance(settler.address)) < leastGasMoney)
        throw new Error(`${settler.address} has nothing left to pay for gas`)
    },
  }
}

const notAllowed = { kind: 'refused', reason: 'eip6492_factory_not_allowed', isFinal: false } as const

/** Asks at most so often; in between the last answer holds. */
function recently<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let known: { answer: Promise<T>; at: number } | undefined
  return () => {
    if (known && performance.now() - known.at < milliseconds) return known.answer
    const answer = ask()
    const asked = { answer, at: performance.now() }
    known = asked
    answer.catch(() => {
      if (known === asked) known = undefined
    })
    return answer
  }
}

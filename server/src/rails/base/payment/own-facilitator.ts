import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Store } from '../../settlement.ts'
import { faultOf, oncePerProof, readAuthorization, runOut, writtenOf } from '../base-rail.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import { reconciled } from './evidence.ts'
import type {
  Authorization,
  Facilitator,
  PaymentProof,
  Settlement,
  SettleOptions,
  Token,
  WrittenAuthorization,
} from './facilitator.ts'
import { createSettler, type Sent } from './settler.ts'
import type { SettlerAccount } from './settler-account.ts'
import {
  checkToken,
  FactoryNotAllowed,
  maxGas,
  showPayment,
  simulationFailed,
  type TransferCall,
  transferCall,
} from './usdc-token.ts'

export interface OwnFacilitatorParts {
  readonly chain: ChainClient
  readonly token: Token
  readonly account: SettlerAccount
  readonly walletFactories: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** How long `settle` waits for the transaction to be mined before it calls the outcome uncertain. */
  readonly settleTimeoutMs?: number
}

const recentMs = 2_000
// A block takes two seconds on Base and a few milliseconds on a development chain, so the first check is soon and later
// ones are less frequent.
const firstCheckMs = 3
const checkEveryMs = 250
const broadcastAgainEveryMs = 2_000
const minGasMoney = 10n ** 13n
// A key's signature takes about 100,000 gas, many wallets' not much more: if this is enough, no estimate is needed.
const usualGas = maxGas.key
// The call must also succeed with this much less, because the transfer may have more to write when it is mined.
const usualRoom = 45_000n
/** Adds a margin to an estimate. */
const withRoom = (gas: bigint): bigint => (gas * 13n) / 10n
// Fifteen blocks.
const stuckAfterMs = 30_000

/** Settles with our own key: it checks by simulating, sends one transaction for each payment, and trusts the chain. */
export function createOwnFacilitator(parts: OwnFacilitatorParts): Facilitator {
  const { chain, token, clock, log, walletFactories, settleTimeoutMs = 15_000 } = parts
  const recentBlock = recently(recentMs, () => chain.newestBlock())
  const settler = createSettler({
    account: parts.account,
    chain,
    log,
    baseFee: async () => (await recentBlock()).baseFee,
  })
  let tokenChecked: Promise<void> | undefined
  let gasWei: bigint | undefined

  /** Checked once, successfully. */
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
      // Nothing is sent now. But an earlier try, or someone else, may have been in time.
      if (fault) return await reconciled(chain, token, payment)
      const call = await callFor(authorization)
      const { gas, reason } = known === undefined ? await gasFor(call) : { gas: known, reason: undefined }
      // Someone else may have presented it since, and then the money has arrived.
      if (gas === undefined) return await reconciled(chain, token, payment, reason)
      sent = await settler.send({ to: call.to, data: call.data, gas }, store)
    } catch (error) {
      if (error instanceof FactoryNotAllowed) return notAllowed
      return { kind: 'uncertain', transaction: undefined, cause: (error as Error).message }
    }
    return untilMined(sent, payment)
  }

  /**
   * The gas limit to send the call with, or the x402 reason why it would fail. It is simulated just as it will be sent,
   * with the same limit and fees: a wallet's code could tell a simulation by them, succeed there, and burn our gas later.
   */
  async function gasFor(call: TransferCall): Promise<Simulated> {
    const fees = await settler.fees()
    const from = await settler.address()
    const failure = (gas: bigint) => call.simulate(chain, { from, gas, ...fees })
    const reason = await failure(usualGas)
    if (call.kind === 'key') return reason === undefined ? { gas: usualGas } : { reason }
    if (reason === undefined && (await failure(usualGas - usualRoom)) === undefined) return { gas: usualGas }
    const most = maxGas[call.kind]
    try {
      const gas = withRoom(await chain.estimateGas({ from, to: call.to, data: call.data }))
      if (gas > most) return { reason: simulationFailed }
      const later = await failure(gas)
      return later === undefined ? { gas } : { reason: later }
    } catch (error) {
      if (!(error instanceof ChainRefusal)) throw error
      return { reason: (await failure(most)) ?? simulationFailed }
    }
  }

  /** Waits for the block, and sends a lost transaction again, with the same bytes. */
  async function untilMined({ transaction, outcome }: Sent, payment: WrittenAuthorization): Promise<Settlement> {
    const { hash, raw } = transaction
    let cause = 'cause' in outcome ? outcome.cause : 'it is not mined yet'
    const begunAt = performance.now()
    let broadcastAt = begunAt
    let pauseMs = firstCheckMs
    while (performance.now() - begunAt <= settleTimeoutMs) {
      try {
        const receipt = await chain.receipt(hash)
        if (receipt) {
          settler.forget(transaction)
          if (receipt.isSuccess && showPayment(receipt.logs, token, payment))
            return { kind: 'settled', transaction: hash, payer: payment.payer, spentWei: receipt.fee }
          // It failed. But the money may have moved anyway: someone else may have presented the authorization.
          const written = { ...payment, transactions: [{ hash, receipt }] }
          return await reconciled(chain, token, written, 'invalid_exact_evm_transaction_failed')
        }
        if (performance.now() - broadcastAt > broadcastAgainEveryMs && !(await chain.knows(hash))) {
          broadcastAt = performance.now()
          const again = await chain.broadcast(raw, hash)
          if ('cause' in again) cause = again.cause
        }
      } catch (error) {
        cause = (error as Error).message
      }
      await wait(pauseMs)
      pauseMs = Math.min(checkEveryMs, pauseMs * 2)
    }
    settler.doubt(transaction)
    return { kind: 'uncertain', transaction: hash, cause }
  }

  /** Sends waiting transactions again, with the same bytes; if that does not help, raises the fee of the newest. */
  async function pushOn({ transactions, validBefore }: WrittenAuthorization, store: Store): Promise<void> {
    for (const { raw, hash } of transactions) if (raw) await chain.broadcast(raw, hash)
    const last = transactions.at(-1)
    if (!last?.raw || !last.signedAt || last.signer !== (await settler.address())) return
    const now = clock.now().getTime()
    // After the authorization expires, the transaction would be mined only to fail.
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
        // This block is earlier than the simulation's: if the authorization is unused there, it was unused here too.
        const { number: seenAtBlock } = await recentBlock()
        const call = await callFor(authorization)
        const { gas, reason } = await gasFor(call)
        if (reason !== undefined) return { kind: 'invalid', reason }
        const { from: payer, nonce, validBefore } = authorization
        return { kind: 'valid', payer, nonce, validBefore, seenAtBlock, gas, isContract: call.kind !== 'key' }
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
      const address = await settler.address()
      gasWei = await chain.balance(address)
      if (gasWei < minGasMoney) throw new Error(`${address} has no ETH left to pay for gas`)
    },
    gasWei: () => gasWei,
  }
}

type Simulated =
  | { readonly gas: bigint; readonly reason?: undefined }
  | { readonly reason: string; readonly gas?: undefined }

const notAllowed = { kind: 'refused', reason: 'eip6492_factory_not_allowed', isFinal: false } as const

/** Calls at most this often; in between it returns the last result. */
function recently<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let known: { result: Promise<T>; at: number } | undefined
  return () => {
    if (known && performance.now() - known.at < milliseconds) return known.result
    const result = read()
    const latest = { result, at: performance.now() }
    known = latest
    result.catch(() => {
      if (known === latest) known = undefined
    })
    return result
  }
}

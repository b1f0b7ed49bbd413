import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import { keccak256, parseTransaction } from 'viem/utils'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { Log } from '../../../platform/log.ts'
import type { SignedTransaction, Store } from '../../settlement.ts'
import type { BroadcastOutcome } from '../rpc/broadcast-outcome.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { Hex } from '../rpc/chain-replies.ts'
import type { Fees, SettlerAccount, SettlerCall } from './settler-account.ts'

/** An account that sends transactions one after the other: two at the same time would take the same nonce. */
export interface Settler {
  address(): Promise<string>
  /** The fees that the next transaction offers for its gas. */
  fees(): Promise<Fees>
  /** Signs a transaction, stores it and sends it. Throws if nothing was stored; after that, failures are returned. */
  send(call: SettlerCall, store: Store): Promise<Sent>
  /**
   * Signs a stuck transaction of this account again, with the same call and nonce and a higher fee, stores it and sends
   * it. Returns undefined if the fee is at our limit, or it is not the account's next transaction.
   */
  raise(raw: Hex, store: Store): Promise<Sent | undefined>
  /** Call this when a transaction is mined: it is not sent again. */
  forget(transaction: SignedTransaction): void
  /** Call this if a transaction was not seen mined: it is checked before the next one is sent. */
  doubt(transaction: SignedTransaction): void
}

export interface Sent {
  readonly transaction: SignedTransaction
  readonly outcome: BroadcastOutcome
}

// A payment's gas costs a fraction of a cent, so it is better to offer too much than to get stuck.
const feeCushion = 4n
const tip = 10_000_000n
// Nodes replace a transaction if both fees of the new one are at least a tenth higher.
const raise = (fee: bigint): bigint => (fee * 5n) / 4n + 1n
// The most that we pay for one payment, about 0.001 ETH.
const maxFee = 10_000_000_000n
const maxAttempts = 20
const behindPauseMs = 300
const maxBehindPauses = 5

export interface SettlerParts {
  readonly account: SettlerAccount
  readonly chain: ChainClient
  /** May be a few seconds old. */
  readonly baseFee: () => Promise<bigint>
  readonly log: Log
}

export function createSettler({ account, chain, baseFee, log }: SettlerParts): Settler {
  const oneAtATime = pLimit(1)
  /** Transactions that were sent and may not be mined yet, by nonce. A lost one holds up all later ones. */
  const outstanding = new Map<number, SignedTransaction>()
  const doubtful = new Set<SignedTransaction>()
  let next = 0

  async function nextNonce(): Promise<number> {
    if (outstanding.size > 0) return next
    for (let pause = 1; ; pause += 1) {
      const count = await chain.transactionCount(await account.address(), 'pending')
      // A node that lags behind counts too few. If it keeps reporting the same count, it is right: the chain was reorganized.
      if (count >= next || pause > maxBehindPauses) return count
      await wait(behindPauseMs)
    }
  }

  const usualFees = async (): Promise<Fees> => ({
    maxFeePerGas: (await baseFee()) * feeCushion + tip,
    maxPriorityFeePerGas: tip,
  })

  async function sign(call: SettlerCall, nonce: number, fees: Fees): Promise<SignedTransaction> {
    const raw = await account.sign({ nonce, ...call, ...fees })
    return { hash: keccak256(raw), raw, signer: await account.address(), nonce }
  }

  /** The replacement of a stuck transaction. */
  async function signAgain(stuck: Hex): Promise<SignedTransaction | undefined> {
    const { to, data, gas, nonce, ...offered } = parseTransaction(stuck)
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = offered
    if (!to || !data || !gas || nonce === undefined || maxFeePerGas >= maxFee) return undefined
    // A higher fee helps only the next transaction in line: later ones wait for it, and a used nonce needs none.
    if ((await chain.transactionCount(await account.address(), 'latest')) !== nonce) return undefined
    const fees = { maxFeePerGas: raise(maxFeePerGas), maxPriorityFeePerGas: raise(maxPriorityFeePerGas) }
    const { baseFee: newest } = await chain.newestBlock()
    const today = newest * feeCushion + tip < maxFee ? newest * feeCushion + tip : maxFee
    if (today > fees.maxFeePerGas) fees.maxFeePerGas = today
    return { ...(await sign({ to, data, gas }, nonce, fees)), replaces: keccak256(stuck) }
  }

  /** Sends earlier transactions again, with the same bytes, in case they were lost: they hold up all later ones. */
  async function resendDoubtful(): Promise<void> {
    for (const transaction of doubtful) {
      const isMined = (await chain.receipt(transaction.hash)) !== undefined
      // If its nonce is used, it was mined without our seeing it, or never will be.
      if (isMined || (await chain.broadcast(transaction.raw, transaction.hash)).kind === 'nonce-used')
        forget(transaction)
    }
  }

  async function broadcastStored(transaction: SignedTransaction): Promise<BroadcastOutcome> {
    await resendDoubtful().catch(() => {})
    outstanding.set(transaction.nonce, transaction)
    next = transaction.nonce + 1
    const outcome = await chain.broadcast(transaction.raw, transaction.hash)
    faultPoint('usdc-transaction-broadcast')
    if (outcome.kind !== 'accepted') doubtful.add(transaction)
    return outcome
  }

  const isKnown = ({ hash }: SignedTransaction) => chain.knows(hash).catch(() => false)

  function forget(transaction: SignedTransaction): void {
    doubtful.delete(transaction)
    if (outstanding.get(transaction.nonce) === transaction) outstanding.delete(transaction.nonce)
  }

  return {
    address: account.address,
    fees: usualFees,
    forget,
    doubt: (transaction) => void doubtful.add(transaction),
    raise: (raw, store) =>
      oneAtATime(async () => {
        const transaction = await signAgain(raw)
        if (!transaction) return undefined
        // Another process has just signed the same replacement and sends it.
        if ((await store(transaction)) !== 'stored') return undefined
        log.warn({ nonce: transaction.nonce, hash: transaction.hash }, 'a transaction is stuck: its fee was raised')
        const replaced = outstanding.get(transaction.nonce)
        if (replaced) {
          forget(replaced)
          outstanding.set(transaction.nonce, transaction)
          doubtful.add(transaction)
        }
        return { transaction, outcome: await chain.broadcast(transaction.raw, transaction.hash) }
      }),
    send: (call, store) =>
      oneAtATime(async () => {
        let nonce = await nextNonce()
        for (let attempt = 1; ; attempt += 1) {
          const transaction = await sign(call, nonce, await usualFees())
          const stored = await store(transaction)
          if (stored !== 'stored') {
            // Another process took the nonce. Its transaction may be lost, which would hold up ours.
            if (stored.takenBy) await chain.broadcast(stored.takenBy, keccak256(stored.takenBy))
            const count = await chain.transactionCount(await account.address(), 'pending')
            nonce = Math.max(nonce + 1, count)
            if (attempt === maxAttempts) throw new Error('other processes keep using the settling account')
            continue
          }
          const outcome = await broadcastStored(transaction)
          if (outcome.kind !== 'nonce-used' || attempt === maxAttempts || (await isKnown(transaction)))
            return { transaction, outcome }
          // The account's key was used elsewhere; this transaction can never be mined.
          log.warn(
            { nonce },
            'the settling account made a transaction that is not ours: use a separate key for this service',
          )
          forget(transaction)
          nonce = Math.max(nonce + 1, await chain.transactionCount(await account.address(), 'pending'))
        }
      }),
  }
}

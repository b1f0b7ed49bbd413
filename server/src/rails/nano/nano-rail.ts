import { setTimeout as wait } from 'node:timers/promises'
import { amountOf } from '@pennypost/contract/money'
import { type StateBlock, workRootOf } from '@pennypost/nano/block'
import { workThresholds } from '@pennypost/nano/work'
import { isNodeTrouble } from '../node-errors.ts'
import type { Rail } from '../rail.ts'
import type { RailServices } from '../services.ts'
import type { Settlement, WrittenPayment } from '../settlement.ts'
import { listKnownArrivals, listNewArrivals } from './custody/arrivals.ts'
import { checkPresentedBlock, type PresentedBlock, recognizeBlock } from './presented-block.ts'

/** Nano is paid to an address of ours for each order or offer. We pay the author from there, and keep the commission. */
export const nanoRail: Rail<'XNO'> = {
  asset: 'XNO',
  network: 'nano:mainnet',
  isCustodial: true,
  receives: 'receives_nano',
  most: amountOf('XNO', 2n ** 128n - 1n),
  signingDomain: {},
  isNamedByNonce: true,
  minimum: null,
  isOn: () => true,
  assetName: () => 'XNO',
  offer({ keyring }, { nonce }) {
    const derivation = `x402:${nonce}`
    return { payTo: keyring.addressOf({ id: '0', derivation }), derivation }
  },
  recognize: recognizeBlock,
  async check(services, payload, offer) {
    try {
      const found = await checkPresentedBlock(services, payload, offer)
      if ('reason' in found) return { kind: 'invalid', ...found }
      const { hash, payer, previous, block, isPublished } = found
      return {
        kind: 'payable',
        payer,
        nonce: hash,
        isSent: isPublished,
        proof: { block },
        // A published block has its place on the chain: it competes with nothing that waits for the same place.
        previous: isPublished ? null : previous,
        validBefore: null,
        seenAtBlock: null,
      }
    } catch (error) {
      if (isNodeTrouble(error)) return { kind: 'unavailable' }
      throw error
    }
  },
  settle: publishAndWait,
  // Publishing the same block again is harmless, so the second try is the same as the first.
  lookAgain: publishAndWait,
}

const pausesMs = [20, 40, 80, 160, 320, 640, 1000, 1000]

/** Publishes a presented block and waits a while until the network confirms it. */
async function publishAndWait(services: RailServices, payment: WrittenPayment<'XNO'>): Promise<Settlement> {
  const { db, nano } = services
  const { nonce: hash, payTo } = payment
  try {
    for (const pauseMs of pausesMs) {
      const info = await nano.client.blockInfo(hash)
      const arrivals = (info?.isConfirmed && (await listNewArrivals(services, payTo, undefined))) || []
      const isListed = arrivals.some((arrival) => arrival.hash === hash)
      if (isListed || (await listKnownArrivals(db, [hash])).has(hash)) return { kind: 'arrived', arrivals }
      const refusal = info ? undefined : await publish(services, payment)
      if (refusal !== undefined) return { kind: 'refused', reason: refusal, isFinal: false }
      await wait(pauseMs)
    }
    return { kind: 'uncertain', transaction: undefined, cause: 'the network has not confirmed the block yet' }
  } catch (error) {
    if (!isNodeTrouble(error)) throw error
    return { kind: 'uncertain', transaction: undefined, cause: error.message }
  }
}

/** Returns why the block will never be confirmed, where that is certain. */
async function publish({ nano }: RailServices, payment: WrittenPayment<'XNO'>): Promise<string | undefined> {
  const { block } = payment.proof as Pick<PresentedBlock, 'block'>
  if (!block) return undefined
  const work = block.work ?? (await nano.work.generate(workRootOf(block), workThresholds[nano.network].send))
  const outcome = await nano.client.process({ ...block, work } as StateBlock)
  // What one node says against it is its view; the block itself, or a confirmed one in its place, is the truth.
  const isDoubted = outcome.kind === 'refused' || outcome.kind === 'fork' || outcome.kind === 'gap'
  if (!isDoubted || (await nano.client.blockInfo(payment.nonce))) return undefined
  return outcome.kind === 'refused' ? outcome.reason : replacedBy(nano, payment)
}

/** Whether the payer's account has confirmed another block in this one's place. */
async function replacedBy(
  { client }: RailServices['nano'],
  { previous, nonce }: WrittenPayment<'XNO'>,
): Promise<string | undefined> {
  const successor = (await client.blockInfo(previous!))?.successor
  if (successor === undefined || successor === nonce) return undefined
  return (await client.blockInfo(successor))?.isConfirmed ? 'the account wrote another block instead' : undefined
}

import { setTimeout as wait } from 'node:timers/promises'
import { type StateBlock, workRootOf } from '@pennypost/nano/block'
import { workThresholds } from '@pennypost/nano/work'
import { noteArrivals } from '../../rails/nano/custody/note-arrivals.ts'
import { NodeNonsense, NodeRefusal, NodeUnreachable } from '../../rails/nano/node/node-errors.ts'
import type { AccessServices } from '../services.ts'
import type { NanoProof } from './nano-proof.ts'
import { findPayment, movePayment, type PaymentRow } from './payment-store.ts'

const pausesMs = [20, 40, 80, 160, 320, 640, 1000, 1000]

/**
 * Brings a payment that is written down to its end: publishes its block, the same bytes every time, and waits a while
 * until the network confirms it. What is still open afterwards is uncertain, never failed; it may be called again.
 */
export async function settleNano(services: AccessServices, payment: PaymentRow): Promise<PaymentRow> {
  const { db, nano } = services
  try {
    for (const pauseMs of pausesMs) {
      const info = await nano.client.blockInfo(payment.nonce)
      // Notes the arrival, and with it all that it buys.
      if (info?.isConfirmed) await noteArrivals(services, payment.pay_to, undefined)
      else if (!info) await publish(services, payment)
      const current = (await findPayment(db, payment.id))!
      if (current.state !== 'settling') return current
      await wait(pauseMs)
    }
  } catch (error) {
    if (![NodeUnreachable, NodeNonsense, NodeRefusal].some((kind) => error instanceof kind)) throw error
    services.log.warn({ paymentId: payment.id, cause: (error as Error).message }, 'an x402 payment waits for a node')
  }
  return (await findPayment(db, payment.id))!
}

async function publish(services: AccessServices, payment: PaymentRow): Promise<void> {
  const { block } = payment.proof as Pick<NanoProof, 'block'>
  if (!block) return
  const { db, nano } = services
  const work = block.work ?? (await nano.work.generate(workRootOf(block), workThresholds[nano.network].send))
  const outcome = await nano.client.process({ ...block, work } as StateBlock)
  // What one node says against it is its view; the block itself, or a confirmed one in its place, is the truth.
  const isDoubted = outcome.kind === 'refused' || outcome.kind === 'fork' || outcome.kind === 'gap'
  if (!isDoubted || (await nano.client.blockInfo(payment.nonce))) return
  const failure = outcome.kind === 'refused' ? outcome.reason : await replacedBy(services, payment)
  if (failure) await movePayment(db, payment.id, 'fail', { failure })
}

/** The payer's account went another way, for good. */
async function replacedBy({ nano }: AccessServices, { previous, nonce }: PaymentRow): Promise<string | undefined> {
  const successor = (await nano.client.blockInfo(previous!))?.successor
  if (successor === undefined || successor === nonce) return undefined
  return (await nano.client.blockInfo(successor))?.isConfirmed ? 'the account wrote another block instead' : undefined
}

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Amount, Commission, Net } from '@pennypost/contract/money'
import { sql } from 'kysely'
import { z } from 'zod'
import { isDeleted } from '../../accounts/close-account.ts'
import type { Tx } from '../../platform/database/database.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import { isOurs } from '../../rails/nano/custody/addresses.ts'
import { goesInCircles } from '../../rails/nano/custody/arrivals.ts'
import { addSend, type BlockRow, listOpenBlocks, redirectSend } from '../../rails/nano/custody/block-store.ts'
import {
  NotTaken,
  noteConfirmed,
  noteRefused,
  noteUnsigned,
  publishBlock,
  type Send,
  signNextBlock,
} from '../../rails/nano/custody/blocks.ts'
import { isNodeError } from '../../rails/node-errors.ts'
import { SendRefused, SignatureWaits } from '../../rails/signer/signer.ts'
import { book, negative, recordMoney } from '../ledger/ledger.ts'
import { moveOrder } from '../orders/order-store.ts'
import type { Job, PaymentServices } from '../services.ts'
import { addPayout, findNanoAddress, movePayout, type PayoutRow } from './payout-store.ts'

interface Owed {
  readonly orderId: string | null
  readonly arrivalHash: string | null
  readonly payeeId: string | null
  readonly addressId: string
  readonly destination: string
}

/** A creator is owed the net of a sale, the house its commission, and a payer a refund. */
type Debt = Owed &
  (
    | { readonly role: 'creator'; readonly amount: Net<'XNO'> }
    | { readonly role: 'house'; readonly amount: Commission<'XNO'> }
    | { readonly role: 'refund'; readonly amount: Amount<'XNO'> }
  )

/**
 * Records what is owed and schedules the send. If it cannot be sent, it stays an obligation. With COMMISSION_SWEEP_HOUR,
 * commission waits for its sweep, which finds it by this row.
 */
export async function owe(services: PaymentServices, tx: Tx, debt: Debt): Promise<PayoutRow> {
  const { role, orderId, arrivalHash, payeeId, addressId, destination, amount } = debt
  const payout = await addPayout(tx, {
    id: randomUUID(),
    role,
    order_id: orderId,
    arrival_hash: arrivalHash,
    payee_id: payeeId,
    address_id: addressId,
    destination,
    amount: String(amount),
    created_at: services.clock.now(),
    blocked_reason: await whyBlocked(tx, debt),
  })
  const isSwept = role === 'house' && services.config.commissionSweepHour !== undefined
  if (payout.state === 'blocked') await recordMoney(services, tx, { kind: 'payout-blocked', payout })
  else if (!isSwept) await sendOnce(services, tx, payout, destination)
  return payout
}

async function whyBlocked(tx: Tx, { role, payeeId, arrivalHash, destination, amount }: Debt): Promise<string | null> {
  // A deleted account has no address and cannot save one: its money goes where the order promised it.
  const isPayable = async () => (await findNanoAddress(tx, payeeId!)) !== undefined || (await isDeleted(tx, payeeId))
  if (role === 'creator' && !(await isPayable())) return 'no address is saved'
  // If we sent money to ourselves, we would send it back again and again.
  if (await isOurs(tx, destination)) return 'the address is one of this service'
  if (arrivalHash !== null && (await goesInCircles(tx, arrivalHash, amount))) return 'it was sent back, and came again'
  return null
}

type Parts = Pick<PaymentServices, 'clock'>

/** Schedules the send of a payout. It happens exactly once, after the commit, in order for each address. */
async function sendOnce({ clock }: Parts, tx: Tx, payout: PayoutRow, destination: string): Promise<void> {
  const { id, address_id, amount } = payout
  await addSend(tx, { id, address_id, destination, amount, created_at: clock.now() })
  await sendLater({ clock }, tx, address_id, { isLowPriority: await hasManyPayouts(tx, payout) })
}

/** The same for commission that is swept: after what is due for others. */
export async function sendWithLowPriority({ clock }: Parts, tx: Tx, payout: PayoutRow): Promise<void> {
  const { id, address_id, destination, amount } = payout
  await addSend(tx, { id, address_id, destination, amount, created_at: clock.now() })
  await sendLater({ clock }, tx, address_id, { isLowPriority: true })
}

/** How many waiting payouts one payer may cause before further ones get low priority. */
const firstPayouts = 4

/**
 * Whether the payer of this order has caused many payouts that still wait. Each costs us seconds of proof of work, so
 * further ones of the same payer come after those of others. Commission does not count, because it may wait for hours.
 */
async function hasManyPayouts(tx: Tx, { order_id: orderId }: PayoutRow): Promise<boolean> {
  if (orderId === null) return false
  const { rows } = await sql<{ waiting: number }>`
    SELECT count(*)::int AS waiting FROM (
      SELECT FROM payouts JOIN orders other ON other.id = payouts.order_id JOIN orders paid ON paid.id = ${orderId}
      WHERE payouts.state = 'waiting' AND payouts.role <> 'house'
        AND (other.payer_id = paid.payer_id OR other.payer_wallet = paid.payer_wallet)
      LIMIT ${firstPayouts + 1}) found`.execute(tx)
  return rows[0]!.waiting > firstPayouts
}

/**
 * The same for a payout whose send may have been scheduled before and refused: it gets another destination. Its new block
 * replaces the old one, so that the network confirms at most one of them.
 */
export async function resend(parts: Parts, tx: Tx, payout: PayoutRow, destination: string): Promise<void> {
  if (!(await redirectSend(tx, payout.id, destination))) return sendOnce(parts, tx, payout, destination)
  await sendLater(parts, tx, payout.address_id)
}

/** Schedules the sends of an address. */
export const sendLater = (
  { clock }: Parts,
  tx: Tx,
  addressId: string,
  { runAt = clock.now(), isLowPriority = false }: { readonly runAt?: Date; readonly isLowPriority?: boolean } = {},
): Promise<void> =>
  enqueue(
    tx,
    clock,
    isLowPriority ? sendLowPriorityPayouts : sendPayouts,
    { addressId },
    { key: sendKey(addressId), runAt },
  )

export const sendKey = (addressId: string): string => `nano:${addressId}`

const payload = z.object({ addressId: z.string() })
const confirmationPausesMs = [20, 40, 80, 160, 320, 640]
const laterMs = 2_000
// A limit of the signer is reached, perhaps for an hour.
const limitedMs = 30_000
const maxBlocks = 6

/**
 * Does everything that is due for one address: signs sends (after receiving the money they need), publishes them, and
 * records confirmations. It starts from what is stored, so it may be killed at any point and run again.
 */
const sendsOf = (isLowPriority: boolean): Omit<Job<typeof payload>, 'name'> => ({
  payload,
  queue: ({ addressId }) => sendKey(addressId),
  attempts: 10,
  concurrency: 4,
  async run(services, { addressId }) {
    const { db, clock, log } = services
    const again = (pauseMs: number) => {
      const runAt = new Date(clock.now().getTime() + pauseMs)
      return db.transaction().execute((tx) => sendLater(services, tx, addressId, { runAt, isLowPriority }))
    }
    try {
      await resumeBlocks(services, addressId)
      const written = await recordingConfirmations(services, addressId, () =>
        writeBlocks(services, addressId, maxBlocks),
      )
      // Each block needs proof of work: an address with many small payments lets the others go first.
      if (written === maxBlocks) return await again(0)
      for (const pauseMs of confirmationPausesMs) {
        if ((await resumeBlocks(services, addressId)) === 0) return
        await wait(pauseMs)
      }
    } catch (error) {
      if (error instanceof SendRefused) return blockUnsigned(services, addressId, error, isLowPriority)
      if (error instanceof SignatureWaits) {
        log.warn({ addressId, cause: error.message }, 'a Nano send waits for the signer')
        return again(limitedMs)
      }
      if (!isNodeError(error) && !(error instanceof NotTaken)) throw error
      log.warn({ addressId, cause: error.message }, 'Nano blocks are waiting for a node')
    }
    await again(laterMs)
  },
})

export const sendPayouts: Job<typeof payload> = { ...sendsOf(false), name: 'move-nano-address' }

/**
 * The same for commission that is swept, and for further payouts of a payer who has many waiting: begins only while no other
 * job is due, at few addresses at a time. Work that has begun is finished, and without a work server others wait for it.
 */
export const sendLowPriorityPayouts: Job<typeof payload> = {
  ...sendsOf(true),
  // Jobs with this name may be waiting in databases.
  name: 'move-crowded-nano-address',
  lowPriority: true,
  share: 'spare',
}

/** Signs and publishes up to `most` blocks. Returns how many. */
async function writeBlocks(services: PaymentServices, addressId: string, most: number): Promise<number> {
  for (let written = 0; written < most; written += 1) {
    const signed = await signNextBlock(services, addressId)
    if (!signed) return written
    await publish(services, signed)
  }
  return most
}

/**
 * Records confirmations while `act` runs. The work for a send takes a minute on a live network without a work server: a
 * creator's send makes its order paid as soon as it is confirmed, not when the work for the commission is done.
 */
async function recordingConfirmations<T>(
  services: PaymentServices,
  addressId: string,
  act: () => Promise<T>,
): Promise<T> {
  const isDone = new AbortController()
  const recording = recordUntil(isDone.signal, services, addressId)
  try {
    return await act()
  } finally {
    isDone.abort()
    await recording
  }
}

async function recordUntil(signal: AbortSignal, services: PaymentServices, addressId: string): Promise<void> {
  const maxPauseMs = confirmationPausesMs.at(-1)!
  for (let round = 0; !signal.aborted; round += 1) {
    await wait(confirmationPausesMs[round] ?? maxPauseMs, undefined, { signal }).catch(() => {})
    try {
      for (const row of signal.aborted ? [] : await listOpenBlocks(services.db, addressId)) {
        if (!(await services.nano.client.blockInfo(row.hash))?.isConfirmed) break
        await recordConfirmation(services, row)
      }
    } catch (error) {
      // The job itself looks at every block again, and meets whatever is wrong.
      services.log.warn({ addressId, cause: (error as Error).message }, 'confirmations could not be recorded yet')
    }
  }
}

/** Records confirmations, and publishes blocks again that the node does not know. Returns how many are still unconfirmed. */
async function resumeBlocks(services: PaymentServices, addressId: string): Promise<number> {
  const { db, nano } = services
  const open = await listOpenBlocks(db, addressId)
  for (const [index, row] of open.entries()) {
    const info = await nano.client.blockInfo(row.hash)
    if (info?.isConfirmed) await recordConfirmation(services, row)
    else if (info) return open.length - index
    else if (!(await publish(services, row))) return 0
  }
  return (await listOpenBlocks(db, addressId)).length
}

async function recordConfirmation(services: PaymentServices, row: BlockRow): Promise<void> {
  const { db, clock } = services
  faultPoint('block-confirmed')
  await db.transaction().execute(async (tx) => {
    const send = await noteConfirmed(tx, row, clock.now())
    if (!send) return
    await confirmPayout(services, tx, send)
    faultPoint('confirmation-noted')
  })
  faultPoint('confirmation-committed')
}

/** Publishes a stored block. Returns false if no node will ever accept it; then its payout is blocked. */
async function publish(services: PaymentServices, row: BlockRow): Promise<boolean> {
  const { db, clock, log } = services
  const refusal = await publishBlock(services, row)
  if (refusal === undefined) return true
  const isNoted = await db.transaction().execute(async (tx) => {
    const send = await noteRefused(tx, row, clock.now())
    if (send) await blockPayout(services, tx, send, refusal)
    return send !== undefined
  })
  if (!isNoted) throw new NotTaken(`${row.hash}: ${refusal}`)
  log.error({ block: row.hash, cause: refusal }, 'a Nano send was refused permanently')
  return false
}

/** The send is confirmed: the payout is no longer owed, and with the creator's the order is paid. */
async function confirmPayout(services: PaymentServices, tx: Tx, send: Send): Promise<void> {
  const now = services.clock.now()
  const payout = await movePayout(tx, send.id, 'confirm', { confirmed_at: now, block_hash: send.blockHash })
  if (!payout) throw new Error(`payout ${send.id} was sent, but nothing was owed`)
  const { role, payee_id, order_id } = payout
  const ref = role === 'creator' ? payee_id! : role === 'house' ? 'house' : payout.id
  await book(tx, {
    asset: 'XNO',
    kind: 'payout',
    cause: `payout:${payout.id}`,
    orderId: order_id,
    at: now,
    entries: [
      { account: role, ref, amount: send.amount },
      { account: 'chain', ref: send.address, amount: negative(send.amount) },
    ],
  })
  if (role === 'creator') await moveOrder(tx, order_id!, 'pay', now)
  await recordMoney(services, tx, { kind: 'payout-confirmed', payout })
}

/** The network will never accept the send, so the payout waits for another address. */
export async function blockPayout(
  services: PaymentServices,
  tx: Tx,
  send: Pick<Send, 'id'>,
  reason: string,
): Promise<void> {
  const payout = await movePayout(tx, send.id, 'block', { blocked_reason: reason })
  if (payout) await recordMoney(services, tx, { kind: 'payout-blocked', payout })
}

/** The signer does not sign the send, so a person has to look at it. The address's other sends go on. */
async function blockUnsigned(
  services: PaymentServices,
  addressId: string,
  refused: SendRefused,
  isLowPriority: boolean,
): Promise<void> {
  const { db, clock, log } = services
  const { sendId, message } = refused
  log.error({ addressId, payoutId: sendId, cause: message }, 'the signer refuses a Nano send')
  await db.transaction().execute(async (tx) => {
    if (!(await noteUnsigned(tx, addressId, sendId, clock.now()))) return
    await blockPayout(services, tx, { id: sendId }, `the signer refuses it: ${message}`)
    await sendLater(services, tx, addressId, { isLowPriority })
  })
}

import { setTimeout as wait } from 'node:timers/promises'
import { amountOf } from '@pennypost/contract/money'
import { z } from 'zod'
import { faultPoint } from '../../../platform/fault-point.ts'
import { enqueue } from '../../../platform/jobs/job.ts'
import { isNodeTrouble } from '../../node-errors.ts'
import type { Job, RailServices } from '../../services.ts'
import { NotTaken, publishBlock, signNextBlock } from './blocks.ts'
import { type BlockRow, changeSend, findAddress, listOpenBlocks, markConfirmed } from './custody-store.ts'

const payload = z.object({ addressId: z.string() })

export const moveKey = (addressId: string): string => `nano:${addressId}`

const confirmationPausesMs = [20, 40, 80, 160, 320, 640]
const laterMs = 2_000
const mostBlocks = 6

/**
 * Does everything that is due on one address: signs what is to be sent (after receiving what it needs), publishes
 * it, and notes what is confirmed. It starts from what is stored, so it may be killed anywhere and run again.
 */
export const moveAddress: Job<typeof payload> = {
  name: 'move-nano-address',
  payload,
  queue: ({ addressId }) => moveKey(addressId),
  attempts: 10,
  concurrency: 4,
  async run(services, { addressId }) {
    try {
      await resumeBlocks(services, addressId)
      // Each block needs proof of work: an address with many small payments lets the others go first.
      if ((await writeBlocks(services, addressId, mostBlocks)) === mostBlocks)
        return await lookAgain(services, addressId, 0)
      for (const pauseMs of confirmationPausesMs) {
        if ((await resumeBlocks(services, addressId)) === 0) return
        await wait(pauseMs)
      }
    } catch (error) {
      if (!isNodeTrouble(error) && !(error instanceof NotTaken)) throw error
      services.log.warn({ addressId, cause: error.message }, 'Nano blocks wait for a node')
    }
    await lookAgain(services, addressId, laterMs)
  },
}

/** Signs and publishes what is to be sent, at most `most` blocks. Returns how many. */
async function writeBlocks(services: RailServices, addressId: string, most: number): Promise<number> {
  for (let written = 0; written < most; written += 1) {
    const signed = await signNextBlock(services, addressId)
    if (!signed) return written
    await publishBlock(services, signed)
  }
  return most
}

/** Notes confirmations, and publishes again what the node does not know. Returns how many blocks are still open. */
async function resumeBlocks(services: RailServices, addressId: string): Promise<number> {
  const open = await listOpenBlocks(services.db, addressId)
  for (const [index, row] of open.entries()) {
    const info = await services.nano.client.blockInfo(row.hash)
    if (info?.isConfirmed) await noteConfirmed(services, row)
    else if (info) return open.length - index
    else if (!(await publishBlock(services, row))) return 0
  }
  return (await listOpenBlocks(services.db, addressId)).length
}

async function noteConfirmed(services: RailServices, row: BlockRow): Promise<void> {
  const { db, clock, custodyEvents } = services
  const now = clock.now()
  faultPoint('block-confirmed')
  await db.transaction().execute(async (tx) => {
    if (!(await markConfirmed(tx, row.hash, now)) || row.send_id === null) return
    const { id, amount, address_id } = await changeSend(tx, row.send_id, { confirmed_at: now })
    const { address } = (await findAddress(tx, address_id))!
    const send = { id, addressId: address_id, address, amount: amountOf('XNO', amount), blockHash: row.hash }
    await custodyEvents.onSendConfirmed(tx, send)
    faultPoint('confirmation-noted')
  })
  faultPoint('confirmation-committed')
}

/** Runs the job again after a pause, behind all others that are due by then. */
const lookAgain = ({ db, clock }: RailServices, addressId: string, pauseMs: number): Promise<void> =>
  db.transaction().execute((tx) => {
    const runAt = new Date(clock.now().getTime() + pauseMs)
    return enqueue(tx, clock, moveAddress, { addressId }, { key: moveKey(addressId), runAt })
  })

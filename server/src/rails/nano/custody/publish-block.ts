import { amountOf } from '@pennypost/contract/money'
import { type StateBlock, workRootOf } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import {
  type BlockRow,
  changeSend,
  findAddress,
  lockAddress,
  markPublished,
  markRefused,
  saveWork,
} from './custody-store.ts'

/** No node has the block, and nobody said that it is wrong: publish the same one again later. */
export class NotTaken extends Error {
  override name = 'NotTaken'
}

/**
 * Publishes a stored block, the same bytes every time. False where it is a send that no node will ever take: then its
 * place is free again.
 */
export async function publishBlock(services: RailServices, row: BlockRow): Promise<boolean> {
  const { db, clock, nano } = services
  const outcome = await nano.client.process(await withEnoughWork(services, row))
  faultPoint('block-published')
  // Somebody may have it, and later attempts must not forget that.
  if (outcome.kind === 'uncertain') await markPublished(db, row.hash, clock.now())
  const isThere = outcome.kind === 'accepted' || outcome.kind === 'old'
  if (isThere || (await nano.client.blockInfo(row.hash))) {
    await markPublished(db, row.hash, clock.now())
    faultPoint('publication-noted')
    return true
  }
  // What some node has taken, or may have taken, may be confirmed elsewhere. What is wrong with the work, or with a
  // receive, is for a person to mend: the block itself stays the right one.
  const isNew = row.send_id !== null && row.published_at === null
  const isRefused = outcome.kind === 'refused' && isNew && !outcome.reason.includes('work')
  if (isRefused && (await noteRefused(services, row, outcome.reason))) return false
  throw new NotTaken(`${row.hash}: ${JSON.stringify(outcome)}`)
}

/** Work is no part of a block's name. Work of another network's thresholds is made anew, the block stays the same. */
async function withEnoughWork({ db, nano }: RailServices, row: BlockRow): Promise<StateBlock> {
  const root = workRootOf(row.block)
  const threshold = workThresholds[nano.network][row.send_id === null ? 'receive' : 'send']
  if (isWorkEnough(root, row.block.work, threshold)) return row.block
  const block = { ...row.block, work: await nano.work.generate(root, threshold) }
  await saveWork(db, row.hash, block)
  return block
}

/** False: meanwhile somebody took it, or signed another one on top of it. */
async function noteRefused(services: RailServices, row: BlockRow, reason: string): Promise<boolean> {
  const { db, clock, log, custodyEvents } = services
  const now = clock.now()
  const isNoted = await db.transaction().execute(async (tx) => {
    await lockAddress(tx, row.address_id)
    if (!(await markRefused(tx, row.hash, now))) return false
    const { id, amount, address_id } = await changeSend(tx, row.send_id!, { refused_at: now })
    const { address } = (await findAddress(tx, address_id))!
    const send = { id, addressId: address_id, address, amount: amountOf('XNO', amount), blockHash: row.hash }
    await custodyEvents.onSendRefused(tx, send, reason)
    return true
  })
  if (isNoted) log.error({ block: row.hash, cause: reason }, 'a Nano send was refused for good')
  return isNoted
}

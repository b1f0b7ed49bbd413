import { type Amount, amountOf } from '@pennypost/contract/money'
import { type StateBlock, workRootOf } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import type { Tx } from '../../../platform/database/database.ts'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import { SendRefused, SignatureWaits } from '../../signer/signer.ts'
import { findAddress, lockAddress } from './addresses.ts'
import {
  type BlockRow,
  changeSend,
  findBlock,
  markConfirmed,
  markPublished,
  markRefused,
  markSendRefused,
  type SendRow,
  saveWork,
} from './block-store.ts'

/**
 * Has the next block of an address signed and stored, before it is published. Returns undefined if there is nothing to do.
 * Proof of work takes long, so it is computed outside of the transaction, and everything is read again afterwards.
 */
export async function signNextBlock(
  { db, nano, signer }: Pick<RailServices, 'db' | 'nano' | 'signer'>,
  addressId: string,
): Promise<BlockRow | undefined> {
  for (let work: string | undefined; ; ) {
    const next = await signer.signNextBlock(addressId, work)
    if (next.kind === 'nothing') return undefined
    if (next.kind === 'waits') throw new SignatureWaits(next.reason)
    if (next.kind === 'refused') throw new SendRefused(next.sendId, next.reason)
    if (next.kind === 'signed') {
      faultPoint('block-stored')
      return findBlock(db, next.hash)
    }
    work = await nano.work.generate(next.root, workThresholds[nano.network][next.step])
  }
}

/** No node has the block, and none called it invalid: publish the same block again later. */
export class NotTaken extends Error {
  override name = 'NotTaken'
}

/**
 * Publishes a stored block, with the same bytes every time. Returns undefined once a node has it. A string is the reason
 * why no node will ever accept this send.
 */
export async function publishBlock(services: RailServices, row: BlockRow): Promise<string | undefined> {
  const { db, clock, nano } = services
  const outcome = await nano.client.process(await withEnoughWork(services, row))
  faultPoint('block-published')
  // A node may have it, and later attempts must know that.
  if (outcome.kind === 'uncertain') await markPublished(db, row.hash, clock.now())
  const isThere = outcome.kind === 'accepted' || outcome.kind === 'old'
  if (isThere || (await nano.client.blockInfo(row.hash))) {
    await markPublished(db, row.hash, clock.now())
    faultPoint('publication-noted')
    return undefined
  }
  // A block that some node has accepted, or may have accepted, may be confirmed elsewhere. A problem with the work, or
  // with a receive, needs a person: the block itself is still the right one.
  const isNew = row.send_id !== null && row.published_at === null
  if (outcome.kind === 'refused' && isNew && !outcome.reason.includes('work')) return outcome.reason
  throw new NotTaken(`${row.hash}: ${JSON.stringify(outcome)}`)
}

/** Work is not part of a block's hash: if it is below this network's threshold, it is computed again for the same block. */
async function withEnoughWork({ db, nano }: RailServices, row: BlockRow): Promise<StateBlock> {
  const root = workRootOf(row.block)
  const threshold = workThresholds[nano.network][row.send_id === null ? 'receive' : 'send']
  if (isWorkEnough(root, row.block.work, threshold)) return row.block
  const block = { ...row.block, work: await nano.work.generate(root, threshold) }
  await saveWork(db, row.hash, block)
  return block
}

/** A send, and the block that was signed for it. */
export interface Send {
  readonly id: string
  readonly address: string
  readonly amount: Amount<'XNO'>
  readonly blockHash: string
}

/** Records that a block is confirmed. Returns its send, or undefined for a receive or a block recorded before. */
export async function noteConfirmed(tx: Tx, { hash, send_id }: BlockRow, now: Date): Promise<Send | undefined> {
  const isNoted = await markConfirmed(tx, hash, now)
  return isNoted && send_id !== null
    ? sendOf(tx, hash, await changeSend(tx, send_id, { confirmed_at: now }))
    : undefined
}

/**
 * Records that no node will ever accept a send's block, and frees its position. Returns undefined if a node accepted it in
 * the meantime, or another block was signed after it.
 */
export async function noteRefused(tx: Tx, row: BlockRow, now: Date): Promise<Send | undefined> {
  await lockAddress(tx, row.address_id)
  if (!(await markRefused(tx, row.hash, now))) return undefined
  return sendOf(tx, row.hash, await changeSend(tx, row.send_id!, { refused_at: now }))
}

/** Records that the signer does not sign a send. Returns false if it has a block, or was recorded before. */
export async function noteUnsigned(tx: Tx, addressId: string, sendId: string, now: Date): Promise<boolean> {
  await lockAddress(tx, addressId)
  return markSendRefused(tx, sendId, now)
}

async function sendOf(tx: Tx, blockHash: string, { id, amount, address_id }: SendRow): Promise<Send> {
  const { address } = (await findAddress(tx, address_id))!
  return { id, address, amount: amountOf('XNO', amount), blockHash }
}

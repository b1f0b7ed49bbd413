import { type Amount, amountOf } from '@pennypost/contract/money'
import { nanoAddress } from '@pennypost/nano/address'
import {
  type BlockContent,
  hashBlock,
  linkTo,
  type StateBlock,
  signBlock,
  workRootOf,
  zeroHash,
} from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import type { Tx } from '../../../platform/database/database.ts'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import { type AddressRow, findAddress, lockAddress } from './addresses.ts'
import {
  addBlock,
  type BlockRow,
  changeSend,
  findLastBlock,
  findNextArrival,
  findNextSend,
  markConfirmed,
  markPublished,
  markRefused,
  type SendRow,
  saveWork,
} from './block-store.ts'

/** The next block of an address: a send, or a receive of money that a send needs. */
interface Step {
  readonly previous: string
  readonly height: number
  readonly balance: bigint
  readonly link: string
  readonly arrivalHash: string | null
  readonly sendId: string | null
}

/**
 * Signs the next block of an address and stores it before it is published. Returns undefined if there is nothing to do.
 * Work takes long, so it is computed without the lock; then everything is read again.
 */
export async function signNextBlock(services: RailServices, addressId: string): Promise<BlockRow | undefined> {
  const { db, nano } = services
  for (let found: string | undefined; ; ) {
    const attempt = await db.transaction().execute(async (tx) => {
      const { row, step } = await readNextStep(tx, addressId)
      if (!step) return { stored: undefined }
      const root = workRootOf({ account: row.address, previous: step.previous })
      const threshold = workThresholds[nano.network][step.sendId === null ? 'receive' : 'send']
      const ready = step.previous === zeroHash ? row.open_work : null
      const work = [found, ready].find((each) => each && isWorkEnough(root, each, threshold))
      return work ? { stored: await signBlockOf(services, tx, row, { ...step, work }) } : { lacks: { root, threshold } }
    })
    if ('stored' in attempt) {
      if (attempt.stored) faultPoint('block-stored')
      return attempt.stored
    }
    found = await nano.work.generate(attempt.lacks.root, attempt.lacks.threshold)
  }
}

/** The caller must hold the lock on the address. */
async function signBlockOf(
  { clock, keyring, config }: RailServices,
  tx: Tx,
  row: AddressRow,
  { previous, height, balance, link, arrivalHash, sendId, work }: Step & { readonly work: string },
): Promise<BlockRow> {
  const keys = keyring.keyPairOf(row)
  // A block signed with the wrong key would be stored for good, and no node would ever accept it.
  if (nanoAddress(keys.publicKey) !== row.address) throw new Error(`address ${row.id} was made with another seed`)
  const { representative } = config.nano
  const content: BlockContent = { account: row.address, previous, representative, balance: String(balance), link }
  const added = await addBlock(tx, {
    hash: hashBlock(content),
    address_id: row.id,
    height,
    previous,
    balance: content.balance,
    arrival_hash: arrivalHash,
    send_id: sendId,
    block: { ...signBlock(content, keys), work },
    signed_at: clock.now(),
  })
  faultPoint('block-signed')
  return added
}

/** Reads under the lock: rows read while another process signs would be inconsistent. */
async function readNextStep(tx: Tx, addressId: string): Promise<{ row: AddressRow; step: Step | undefined }> {
  const row = await lockAddress(tx, addressId)
  return { row, step: await nextStep(tx, addressId) }
}

async function nextStep(tx: Tx, addressId: string): Promise<Step | undefined> {
  const send = await findNextSend(tx, addressId)
  if (!send) return undefined
  const last = await findLastBlock(tx, addressId)
  const place = { previous: last?.hash ?? zeroHash, height: (last?.height ?? 0) + 1 }
  const balance = BigInt(last?.balance ?? 0)
  const amount = BigInt(send.amount)
  if (balance >= amount) {
    const link = linkTo(send.destination)
    return { ...place, balance: balance - amount, link, arrivalHash: null, sendId: send.id }
  }
  const arrival = await findNextArrival(tx, addressId)
  if (!arrival) throw new Error(`address ${addressId} would have to send more than it received`)
  return {
    ...place,
    balance: balance + BigInt(arrival.amount),
    link: arrival.hash,
    arrivalHash: arrival.hash,
    sendId: null,
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

async function sendOf(tx: Tx, blockHash: string, { id, amount, address_id }: SendRow): Promise<Send> {
  const { address } = (await findAddress(tx, address_id))!
  return { id, address, amount: amountOf('XNO', amount), blockHash }
}

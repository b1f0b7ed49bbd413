import { nanoAddress } from '@pennypost/nano/address'
import { type BlockContent, hashBlock, linkTo, signBlock, workRootOf, zeroHash } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import type { Tx } from '../../../platform/database/database.ts'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import {
  type AddressRow,
  addBlock,
  type BlockRow,
  findLastBlock,
  findNextArrival,
  findNextSend,
  lockAddress,
} from './custody-store.ts'

/** What the next block of an address is: it sends, or it receives what a send still lacks. */
interface Step {
  readonly previous: string
  readonly height: number
  readonly balance: bigint
  readonly link: string
  readonly arrivalHash: string | null
  readonly sendId: string | null
}

/**
 * Signs the next block of an address and stores it whole, before any node hears of it. Undefined when there is nothing
 * to do. Work takes long and is found without the lock; then all is looked at again.
 */
export async function signNextBlock(services: RailServices, addressId: string): Promise<BlockRow | undefined> {
  const { db, nano } = services
  for (let found: string | undefined; ; ) {
    const look = await db.transaction().execute(async (tx) => {
      const { row, step } = await lookAt(tx, addressId)
      if (!step) return { stored: undefined }
      const root = workRootOf({ account: row.address, previous: step.previous })
      const threshold = workThresholds[nano.network][step.sendId === null ? 'receive' : 'send']
      const ready = step.previous === zeroHash ? row.open_work : null
      const work = [found, ready].find((each) => each && isWorkEnough(root, each, threshold))
      return work ? { stored: await signBlockOf(services, tx, row, { ...step, work }) } : { lacks: { root, threshold } }
    })
    if ('stored' in look) {
      if (look.stored) faultPoint('block-stored')
      return look.stored
    }
    found = await nano.work.generate(look.lacks.root, look.lacks.threshold)
  }
}

/** The address is locked. */
async function signBlockOf(
  { clock, keyring, config }: RailServices,
  tx: Tx,
  row: AddressRow,
  { previous, height, balance, link, arrivalHash, sendId, work }: Step & { readonly work: string },
): Promise<BlockRow> {
  const keys = keyring.keyPairOf(row)
  // A block that another key signed would be stored for good, and no node would ever take it.
  if (nanoAddress(keys.publicKey) !== row.address) throw new Error(`address ${row.id} is of another seed`)
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

/** Every look holds the lock: what is read while another signs belongs partly to before and partly to after. */
async function lookAt(tx: Tx, addressId: string): Promise<{ row: AddressRow; step: Step | undefined }> {
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
  if (!arrival) throw new Error(`address ${addressId} is to send more than it was given`)
  return {
    ...place,
    balance: balance + BigInt(arrival.amount),
    link: arrival.hash,
    arrivalHash: arrival.hash,
    sendId: null,
  }
}

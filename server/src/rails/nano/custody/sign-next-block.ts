import { nanoAddress } from '@pennypost/nano/address'
import { type BlockContent, hashBlock, linkTo, signBlock, workRootOf, zeroHash } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import type { Tx } from '../../../platform/database/database.ts'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import type { NextBlock } from '../../signer/signer.ts'
import { type AddressRow, findAddress, lockAddress } from './addresses.ts'
import { addBlock, type BlockRow, findLastBlock, findNextArrival, findNextSend, type SendRow } from './block-store.ts'
import type { Keyring } from './keyring.ts'

export interface SigningParts extends Pick<RailServices, 'db' | 'clock' | 'config' | 'nano'> {
  readonly keyring: Keyring
  /** Whether this send may be signed now, in the block with this hash. The caller holds the lock on its address. */
  readonly authorizeSend: (tx: Tx, send: SendRow, hash: string) => Promise<Authorized>
  /** Called right before the key is used. From then on others may have the signature, whatever the transaction's outcome. */
  readonly willSign: () => void
}

export type Authorized =
  | { readonly kind: 'allowed'; readonly destination: string; note(tx: Tx): Promise<unknown> }
  | { readonly kind: 'waits' | 'refused'; readonly reason: string }

/** The next block of an address: a send, or a receive of money that a send needs. */
interface Step {
  readonly previous: string
  readonly height: number
  readonly balance: bigint
  readonly link: string
  readonly arrivalHash: string | null
  readonly send: SendRow | null
}

/** Everything is read and checked under the lock: rows read while another process signs would be inconsistent. */
export const signNextBlock = (parts: SigningParts, addressId: string, given: string | undefined): Promise<NextBlock> =>
  parts.db.transaction().execute(async (tx) => {
    if (!(await findAddress(tx, addressId))) return { kind: 'nothing' }
    const row = await lockAddress(tx, addressId)
    const { keyring, config } = parts
    const next = await nextStep(tx, row)
    if (!next) return { kind: 'nothing' }
    const { send } = next
    // The address of the house holds what we earned, and never sends anything.
    if (send && (row.address === keyring.first || row.address === keyring.house))
      return { kind: 'refused', sendId: send.id, reason: 'the address is the house’s' }
    const content: BlockContent = {
      account: row.address,
      previous: next.previous,
      representative: config.nano.representative,
      balance: String(next.balance),
      link: next.link,
    }
    const authorized = send && (await parts.authorizeSend(tx, send, hashBlock(content)))
    if (authorized && authorized.kind !== 'allowed') return { ...authorized, sendId: send.id }
    const root = workRootOf(content)
    const step = send ? 'send' : 'receive'
    const ready = next.previous === zeroHash ? row.open_work : null
    const isEnough = (work: string) => isWorkEnough(root, work, workThresholds[parts.nano.network][step])
    const work = [given, ready].find((each) => each && isEnough(each))
    if (!work) return { kind: 'lacks-work', root, step }
    await authorized?.note(tx)
    const link = authorized ? linkTo(authorized.destination) : next.link
    return { kind: 'signed', hash: await storeBlock(parts, tx, row, { ...next, content: { ...content, link }, work }) }
  })

/** The caller holds the lock on the address. */
async function storeBlock(
  { clock, keyring, willSign }: SigningParts,
  tx: Tx,
  row: AddressRow,
  { height, arrivalHash, send, content, work }: Step & { readonly content: BlockContent; readonly work: string },
): Promise<string> {
  const keys = keyring.keyPairOf(row)
  // A block signed with the wrong key would be stored for good, and no node would ever accept it.
  if (nanoAddress(keys.publicKey) !== row.address) throw new Error(`address ${row.id} was made with another seed`)
  willSign()
  const { hash } = await addBlock(tx, {
    hash: hashBlock(content),
    address_id: row.id,
    height,
    previous: content.previous,
    balance: content.balance,
    arrival_hash: arrivalHash,
    send_id: send?.id ?? null,
    block: { ...signBlock(content, keys), work },
    signed_at: clock.now(),
  })
  faultPoint('block-signed')
  return hash
}

async function nextStep(tx: Tx, { id: addressId, address }: AddressRow): Promise<Step | undefined> {
  const send = await findNextSend(tx, addressId)
  if (!send) return undefined
  const last = await findLastBlock(tx, addressId)
  if (last && !isGenuine(last, address)) throw new Error(`block ${last.hash} of ${address} was changed in the database`)
  const place = { previous: last?.hash ?? zeroHash, height: (last?.height ?? 0) + 1 }
  const balance = BigInt(last?.balance ?? 0)
  const amount = requirePositive(send.amount)
  if (balance >= amount) {
    const link = linkTo(send.destination)
    return { ...place, balance: balance - amount, link, arrivalHash: null, send }
  }
  const arrival = await findNextArrival(tx, addressId)
  if (!arrival) throw new Error(`address ${addressId} would have to send more than it received`)
  return {
    ...place,
    balance: balance + requirePositive(arrival.amount),
    link: arrival.hash,
    arrivalHash: arrival.hash,
    send: null,
  }
}

/**
 * A block's amount is the difference to the balance before it, so that balance must be the one that its hash covers. With a
 * wrong one, a send would move another amount than intended.
 */
const isGenuine = ({ hash, balance, block }: BlockRow, address: string): boolean =>
  hashBlock(block) === hash && block.balance === balance && block.account === address

/** A block that receives less than nothing would be a send. */
function requirePositive(amount: string): bigint {
  if (BigInt(amount) <= 0n) throw new Error(`${amount} is not an amount to send or receive`)
  return BigInt(amount)
}

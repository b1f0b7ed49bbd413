import { hashBlock, linkTo, zeroHash } from '@pennypost/nano/block'
import type { Tx } from '../../platform/database/database.ts'

/**
 * How much one of our addresses has sent to a destination, by its blocks. Each block's hash covers the block before it, so with
 * the last one all are known to be genuine: an attacker with the database can neither hide nor change one.
 */
export async function sentTo(tx: Tx, addressId: string, destination: string): Promise<bigint> {
  const rows = await tx
    .selectFrom('nano_blocks')
    .select(['hash', 'block'])
    .where('address_id', '=', addressId)
    .where('refused_at', 'is', null)
    .orderBy('height')
    .execute()
  const link = linkTo(destination)
  let previous = { hash: zeroHash, balance: 0n }
  let sent = 0n
  for (const { hash, block } of rows) {
    if (hashBlock(block) !== hash || block.previous !== previous.hash)
      throw new Error(`the blocks of address ${addressId} were changed in the database`)
    const balance = BigInt(block.balance)
    if (balance < previous.balance && block.link === link) sent += previous.balance - balance
    previous = { hash, balance }
  }
  return sent
}

import type { Amount } from '@pennypost/contract/money'
import { receiverOf, type StateBlock, zeroHash } from '@pennypost/nano/block'
import type { NodeClient } from '../../rails/nano/node/node-client.ts'
import type { BlockInfo, Receivable } from '../../rails/nano/node/node-replies.ts'

/** A block of one of our addresses, as it is on the chain. */
export type ChainBlock = { readonly hash: string; readonly height: number; readonly block: StateBlock } & (
  | { readonly kind: 'receive'; readonly arrival: Receivable }
  | { readonly kind: 'send'; readonly destination: string; readonly amount: bigint }
)

/** It cannot be recovered automatically: a person has to look at it. */
export class Unrecoverable extends Error {}

const maxBlocks = 1_000

/** Reads all blocks of an address, the first one first. What is unreadable for one address must not stop all others. */
export async function readChain(client: NodeClient, address: string): Promise<ChainBlock[]> {
  const blocks: ChainBlock[] = []
  let hash = (await client.accountInfo(address))?.frontier ?? zeroHash
  while (hash !== zeroHash) {
    const info = await client.blockInfo(hash)
    if (!info?.contents) throw await unknownToNodes(client, `no node knows block ${hash} of ${address}`)
    const { contents: block, height } = info
    if (height > maxBlocks || blocks.length === maxBlocks)
      throw new Unrecoverable(`${address} has more than ${maxBlocks} blocks`)
    const place = { hash, height, block }
    if (info.subtype === 'send')
      blocks.push({
        ...place,
        kind: 'send',
        destination: receiverOf(block)!,
        amount: await amountOfBlock(client, info),
      })
    else {
      const source = await client.blockInfo(block.link.toUpperCase())
      if (!source) throw await unknownToNodes(client, `no node knows block ${block.link}, which ${address} received`)
      const arrival = { hash: source.hash, amount: await amountOfBlock(client, source), source: source.account }
      blocks.push({ ...place, kind: 'receive', arrival })
    }
    hash = block.previous.toUpperCase()
  }
  return blocks.reverse()
}

async function amountOfBlock(client: NodeClient, { hash, amount }: BlockInfo): Promise<Amount<'XNO'>> {
  if (amount === undefined)
    throw await unknownToNodes(client, `no node knows how much block ${hash} moved: it was pruned`)
  return amount
}

/**
 * The error for a block that no node shows. If a node is unreachable or behind, it may have the block, and it is too early
 * to involve a person.
 */
async function unknownToNodes(client: NodeClient, reason: string): Promise<Error> {
  const faulty = (await client.checkNodes()).find(({ state }) => state !== 'ok')
  return faulty ? new Error(`${reason}, and ${faulty.problem}`) : new Unrecoverable(reason)
}

import type { Amount } from '@pennypost/contract/money'
import { receiverOf, type StateBlock, zeroHash } from '@pennypost/nano/block'
import type { NodeClient } from '../../rails/nano/node/node-client.ts'
import type { BlockInfo, Receivable } from '../../rails/nano/node/node-replies.ts'

/** A block of one of our addresses, as it is on the chain. */
export type ChainBlock = { readonly hash: string; readonly height: number; readonly block: StateBlock } & (
  | { readonly kind: 'receive'; readonly arrival: Receivable }
  | { readonly kind: 'send'; readonly destination: string; readonly amount: bigint }
)

const maxBlocks = 1_000

/** Reads all blocks of an address, the first one first. */
export async function readChain(client: NodeClient, address: string): Promise<ChainBlock[]> {
  const blocks: ChainBlock[] = []
  let hash = (await client.accountInfo(address))?.frontier ?? zeroHash
  while (hash !== zeroHash) {
    if (blocks.length === maxBlocks) throw new Error(`${address} has more than ${maxBlocks} blocks`)
    const info = await client.blockInfo(hash)
    if (!info?.contents) throw new Error(`no node knows block ${hash} of ${address}`)
    const { contents: block, height } = info
    const place = { hash, height, block }
    if (info.subtype === 'send')
      blocks.push({ ...place, kind: 'send', destination: receiverOf(block)!, amount: amountOfBlock(info) })
    else {
      const source = await client.blockInfo(block.link.toUpperCase())
      if (!source) throw new Error(`no node knows block ${block.link}, which ${address} received`)
      const arrival = { hash: source.hash, amount: amountOfBlock(source), source: source.account }
      blocks.push({ ...place, kind: 'receive', arrival })
    }
    hash = block.previous.toUpperCase()
  }
  return blocks.reverse()
}

function amountOfBlock({ hash, amount }: BlockInfo): Amount<'XNO'> {
  if (amount === undefined) throw new Error(`no node knows how much block ${hash} moved: it was pruned`)
  return amount
}

import { randomBytes } from 'node:crypto'
import { nanoAddress } from '@pennypost/nano/address'
import { type BlockContent, linkTo, type StateBlock, signBlock, workRootOf, zeroHash } from '@pennypost/nano/block'
import { type KeyPair, keyPairOf } from '@pennypost/nano/keys'
import { workThresholds } from '@pennypost/nano/work'
import type { Faucet } from '../development/nano-ledger/faucet.ts'
import { genesisAccount } from '../development/nano-ledger/genesis.ts'
import type { NodeClient } from '../rails/nano/node/node-client.ts'
import type { AccountInfo } from '../rails/nano/node/node-replies.ts'
import type { WorkSource } from '../rails/nano/work/work-source.ts'
import { until } from './until.ts'

/** A user's Nano account on a dev network. */
export interface NanoWallet {
  readonly address: string
  readonly secretKey: Uint8Array
  /** Makes the account's next block, signed and with work, but does not publish it. */
  next(change: BlockChange): Promise<StateBlock>
  /** Sends, and returns the block's hash. */
  sends(to: string, amountRaw: bigint): Promise<string>
  /** Receives everything that is pending, and returns the total. */
  receives(): Promise<bigint>
}

interface BlockChange {
  readonly balance: bigint
  readonly link: string
}

export interface NanoNetworkParts {
  readonly client: NodeClient
  readonly work: WorkSource
}

export function createNanoWallet(
  { client, work }: NanoNetworkParts,
  secretKey: Uint8Array = randomBytes(32),
): NanoWallet {
  const keys = keyPairOf(secretKey)
  const address = nanoAddress(keys.publicKey)

  async function after(account: AccountInfo | undefined, change: BlockChange): Promise<StateBlock> {
    return complete({ work }, keys, {
      account: address,
      previous: account?.frontier ?? zeroHash,
      representative: genesisAccount,
      balance: String(change.balance),
      link: change.link,
    })
  }

  async function publish(block: StateBlock): Promise<string> {
    const outcome = await client.process(block)
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
    return outcome.hash
  }

  /** Publishes a block that changes the balance by this amount, which may be negative. */
  async function moves(amount: bigint, link: string): Promise<string> {
    const account = await client.accountInfo(address)
    return publish(await after(account, { balance: (account?.balance ?? 0n) + amount, link }))
  }

  return {
    address,
    secretKey,
    next: async (change) => after(await client.accountInfo(address), change),
    sends: (to, amountRaw) => moves(-amountRaw, linkTo(to)),
    async receives() {
      let received = 0n
      for (const { hash, amount } of await client.receivable(address, 1n)) {
        await moves(amount, hash)
        received += amount
      }
      return received
    },
  }
}

/** Creates a wallet that already has this confirmed balance. */
export async function fundedNanoWallet(
  network: NanoNetworkParts & { readonly faucet: Faucet },
  amountRaw: bigint,
): Promise<NanoWallet> {
  const wallet = createNanoWallet(network)
  await untilConfirmed(network.client, await network.faucet.send(wallet.address, amountRaw))
  await wallet.receives()
  await untilConfirmed(network.client, (await network.client.accountInfo(wallet.address))!.frontier)
  return wallet
}

export async function untilConfirmed(client: NodeClient, hash: string): Promise<void> {
  await until(`block ${hash} is confirmed`, async () => (await client.blockInfo(hash))?.isConfirmed, { everyMs: 5 })
}

/** Signs a block and adds enough work for any kind of block. */
export async function complete(
  { work }: Pick<NanoNetworkParts, 'work'>,
  key: Uint8Array | KeyPair,
  content: BlockContent,
): Promise<StateBlock> {
  const signed = signBlock(content, key)
  return { ...signed, work: await work.generate(workRootOf(content), workThresholds.dev.send) }
}

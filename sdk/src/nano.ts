import { nanoAddress } from '@pennypost/nano/address'
import { type BlockContent, hashBlock, isBlockContent, linkTo, signBlock } from '@pennypost/nano/block'
import { deriveSecretKey, keyPairOf } from '@pennypost/nano/keys'
import { amountOf } from './amounts.ts'
import type { NanoBlock, NanoSigner } from './payments/signers.ts'

// Signs Nano payments in this program. Apart from the rest, because it contains the cryptography of Nano.

/** The state of a Nano account, as a node's `account_info` has it. */
export interface NanoAccountInfo {
  /** The hash of its newest block. */
  readonly frontier: string
  /** In raw. */
  readonly balance: string
  readonly representative: string
}

export interface NanoSignerOptions {
  /** The secret key as 64 hexadecimal digits. Or pass `seed` and `index`. */
  secretKey?: string | undefined
  /** A seed as 64 hexadecimal digits. */
  seed?: string | undefined
  /** The number of the account. Default: 0. */
  index?: number | undefined
  /** The RPC address of a Nano node. Or pass `accountInfo`. */
  rpcUrl?: string | undefined
  /** Looks up an account. Undefined for one that has never received anything. */
  accountInfo?: ((address: string) => Promise<NanoAccountInfo | undefined>) | undefined
}

const rpcTimeoutMs = 15_000

/**
 * A signer for `new Pennypost({ signers: { nano } })`. It signs blocks and publishes nothing: the service does that, and
 * finds the proof of work.
 * @example const nano = nanoSigner({ seed: process.env.NANO_SEED, rpcUrl: 'https://node.example' })
 */
export function nanoSigner(options: NanoSignerOptions): NanoSigner {
  const pair = keyPairOf(secretKeyOf(options))
  const address = nanoAddress(pair.publicKey)
  const accountInfo = options.accountInfo ?? ((account) => askNode(options.rpcUrl, account))
  return {
    address,
    async signSend({ to, amountRaw }): Promise<NanoBlock> {
      const info = await accountInfo(address)
      if (info === undefined)
        throw new Error(`${address} has never received Nano. What was sent to it must be received first, in a wallet.`)
      const balance = BigInt(info.balance) - BigInt(amountRaw)
      if (balance < 0n) throw new Error(`${address} has only ${amountOf('XNO', info.balance)} XNO.`)
      const { frontier: previous, representative } = info
      return signBlock({ account: address, previous, representative, balance: String(balance), link: linkTo(to) }, pair)
    },
  }
}

function secretKeyOf({ secretKey, seed, index = 0 }: NanoSignerOptions): Uint8Array {
  if (secretKey !== undefined) return keyBytes(secretKey, 'secretKey')
  if (seed !== undefined) return deriveSecretKey(keyBytes(seed, 'seed'), index)
  throw new TypeError('Pass a secretKey or a seed.')
}

function keyBytes(hex: string, name: string): Uint8Array {
  // The text itself must not get into an error message.
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new TypeError(`${name} must have 64 hexadecimal digits.`)
  return Uint8Array.from(hex.match(/../g)!, (digits) => Number.parseInt(digits, 16))
}

/**
 * Asks a node for an account, and proves the balance. A block says what is left, not what is sent: signed on a balance that
 * is too low, it sends the difference too, all of it to the one who is paid. So the node's word is not enough. The newest
 * block contains the balance, and its hash, on which the next block is signed, covers it: no node can make up both.
 */
async function askNode(rpcUrl: string | undefined, account: string): Promise<NanoAccountInfo | undefined> {
  if (rpcUrl === undefined) throw new TypeError('Pass an rpcUrl, or a function accountInfo.')
  const info = await callNode(rpcUrl, { action: 'account_info', account, representative: 'true' })
  if (info.error === 'Account not found') return undefined
  const { frontier } = info
  if (typeof frontier !== 'string') throw new Error(`The Nano node replied: ${info.error ?? 'no frontier'}`)
  const { contents, error } = await callNode(rpcUrl, { action: 'block_info', hash: frontier, json_block: 'true' })
  if (typeof contents !== 'object' || contents === null)
    throw new Error(`The Nano node does not show the newest block of ${account}: ${error ?? 'no contents'}`)
  const block = { ...contents, account } as BlockContent
  if (!isStateBlock(block) || hashBlock(block) !== frontier.toUpperCase())
    throw new Error(
      `The Nano node does not prove the balance of ${account}. Use another node; if it is an account from before 2018, send or receive once with a wallet.`,
    )
  const { balance, representative } = block
  return { frontier, balance, representative }
}

const isStateBlock = (block: BlockContent): boolean =>
  (['previous', 'representative', 'balance', 'link'] as const).every((name) => typeof block[name] === 'string') &&
  isBlockContent(block)

async function callNode(rpcUrl: string, request: Readonly<Record<string, string>>): Promise<NodeReply> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(rpcTimeoutMs),
  }).catch((cause: unknown) => {
    throw new Error('The Nano node could not be reached.', { cause })
  })
  const reply: unknown = await response.json().catch(() => undefined)
  if (response.ok && typeof reply === 'object' && reply !== null) return reply
  throw new Error(`The Nano node replied with status ${response.status}.`)
}

interface NodeReply {
  readonly error?: unknown
  readonly frontier?: unknown
  readonly contents?: unknown
}

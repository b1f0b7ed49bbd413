import { nanoAddress } from '@pennypost/nano/address'
import { linkTo, signBlock } from '@pennypost/nano/block'
import { deriveSecretKey, keyPairOf } from '@pennypost/nano/keys'
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
      if (balance < 0n) throw new Error(`${address} has only ${info.balance} raw.`)
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

async function askNode(rpcUrl: string | undefined, account: string): Promise<NanoAccountInfo | undefined> {
  if (rpcUrl === undefined) throw new TypeError('Pass an rpcUrl, or a function accountInfo.')
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'account_info', account, representative: 'true' }),
    signal: AbortSignal.timeout(rpcTimeoutMs),
  })
  const reply = (await response.json()) as Partial<NanoAccountInfo> & { error?: string }
  if (reply.error === 'Account not found') return undefined
  const { frontier, balance, representative } = reply
  if (!response.ok || frontier === undefined || balance === undefined || representative === undefined)
    throw new Error(`The Nano node replied: ${reply.error ?? response.status}`)
  return { frontier, balance, representative }
}

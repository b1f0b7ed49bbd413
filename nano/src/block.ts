import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { nanoAddress, parseNanoAddress } from './address.ts'
import { bytesOf, parseHex, upperHex } from './hex.ts'
import { hasSigned, type KeyPair, keyPairOf } from './keys.ts'

/** A state block without its signature and work, in the format of a node's JSON. */
export interface BlockContent {
  readonly account: string
  /** The hash of the previous block, or zeros for the first block of an account. */
  readonly previous: string
  readonly representative: string
  /** The balance after this block, in raw. */
  readonly balance: string
  /** The receiver's public key in a send, the hash of the send in a receive, otherwise zeros. */
  readonly link: string
}

export interface SignedBlock extends BlockContent {
  readonly type: 'state'
  readonly signature: string
}

/** A complete block that can be published to a node. */
export interface StateBlock extends SignedBlock {
  readonly work: string
}

export const zeroHash = '0'.repeat(64)
export const maxRaw = 2n ** 128n - 1n

const hashBytes = 32
const balanceBytes = 16
const signatureBytes = 64
const workBytes = 8

// The hash input of a state block starts with the number of the block type, so that types cannot be confused.
const preamble = new Uint8Array(hashBytes)
preamble[hashBytes - 1] = 6

/** Whether every field is well formed: valid addresses, hexadecimal of the right length, a possible balance. */
export function isBlockContent(block: BlockContent): boolean {
  return (
    parseNanoAddress(block.account) !== undefined &&
    parseNanoAddress(block.representative) !== undefined &&
    parseHex(block.previous, hashBytes) !== undefined &&
    parseHex(block.link, hashBytes) !== undefined &&
    isRaw(block.balance)
  )
}

export function isStateBlock(block: StateBlock): boolean {
  return (
    block.type === 'state' &&
    isBlockContent(block) &&
    parseHex(block.signature, signatureBytes) !== undefined &&
    parseHex(block.work, workBytes) !== undefined
  )
}

/** Whether the text is an amount in raw that fits into 128 bits. */
export const isRaw = (text: string): boolean => /^(0|[1-9]\d{0,38})$/.test(text) && BigInt(text) <= maxRaw

/** The hash that identifies a block. It does not cover the signature or the work. */
export function hashBlock(block: BlockContent): string {
  const parts = [
    preamble,
    keyOf(block.account),
    bytesOf(block.previous, hashBytes),
    keyOf(block.representative),
    rawBytes(block.balance),
    bytesOf(block.link, hashBytes),
  ]
  return upperHex(blake2b(concatBytes(...parts), { dkLen: hashBytes }))
}

/** Signs a block with the secret key or key pair of its account. */
export function signBlock(content: BlockContent, key: Uint8Array | KeyPair): SignedBlock {
  const { account, previous, representative, balance, link } = content
  const pair = key instanceof Uint8Array ? keyPairOf(key) : key
  if (nanoAddress(pair.publicKey) !== nanoAddress(keyOf(account))) {
    throw new RangeError('the secret key does not belong to the account')
  }
  const signature = upperHex(pair.sign(bytesOf(hashBlock(content), hashBytes)))
  return { type: 'state', account, previous, representative, balance, link, signature }
}

/** Whether the account's owner signed this block. */
export function isSignedByItsAccount(block: BlockContent & { readonly signature: string }): boolean {
  const signature = parseHex(block.signature, signatureBytes)
  return signature !== undefined && hasSigned(keyOf(block.account), bytesOf(hashBlock(block), hashBytes), signature)
}

/** The input of a block's proof of work: the previous hash, or the public key for the first block of an account. */
export const workRootOf = ({ account, previous }: Pick<BlockContent, 'account' | 'previous'>): string =>
  previous === zeroHash ? upperHex(keyOf(account)) : previous.toUpperCase()

/** The receiver of a send. Ignores the field `link_as_account`, because the signature does not cover it. */
export const receiverOf = ({ link }: Pick<BlockContent, 'link'>): string => nanoAddress(bytesOf(link, hashBytes))

/** The `link` field of a send to an address. */
export const linkTo = (address: string): string => upperHex(keyOf(address))

function keyOf(address: string): Uint8Array {
  const key = parseNanoAddress(address)
  if (key === undefined) throw new RangeError(`${address} is not an address`)
  return key
}

function rawBytes(balance: string): Uint8Array {
  if (!isRaw(balance)) throw new RangeError(`${balance} is not an amount in raw`)
  return bytesOf(
    BigInt(balance)
      .toString(16)
      .padStart(balanceBytes * 2, '0'),
    balanceBytes,
  )
}

import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { nanoAddress, parseNanoAddress } from './address.ts'
import { bytesOf, parseHex, upperHex } from './hex.ts'
import { hasSigned, type KeyPair, keyPairOf } from './keys.ts'

/** What a state block says of its account, without signature and work. All as a node's JSON writes it. */
export interface BlockContent {
  readonly account: string
  /** The block before it, or zeros in an account's first. */
  readonly previous: string
  readonly representative: string
  /** The balance after this block, in raw. */
  readonly balance: string
  /** In a send the receiver's public key, in a receive the hash of the send, else zeros. */
  readonly link: string
}

export interface SignedBlock extends BlockContent {
  readonly type: 'state'
  readonly signature: string
}

/** A block that a node takes. */
export interface StateBlock extends SignedBlock {
  readonly work: string
}

export const zeroHash = '0'.repeat(64)
export const largestRaw = 2n ** 128n - 1n

const hashBytes = 32
const balanceBytes = 16
const signatureBytes = 64
const workBytes = 8

// Every state block's hash begins with the number of its kind, so that it can never be another kind's.
const preamble = new Uint8Array(hashBytes)
preamble[hashBytes - 1] = 6

/** Whether every field is what it should be: addresses with their checksum, hexadecimal of the right length, raw. */
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

/** Whether the text is a number of raw that can exist. */
export const isRaw = (text: string): boolean => /^(0|[1-9]\d{0,38})$/.test(text) && BigInt(text) <= largestRaw

/** The block's name everywhere. Neither signature nor work is part of it. */
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

/** Signs with the key of the block's account: the secret one, or both. */
export function signBlock(content: BlockContent, key: Uint8Array | KeyPair): SignedBlock {
  const { account, previous, representative, balance, link } = content
  const pair = key instanceof Uint8Array ? keyPairOf(key) : key
  if (nanoAddress(pair.publicKey) !== nanoAddress(keyOf(account))) {
    throw new RangeError('the secret key is not that of the account')
  }
  const signature = upperHex(pair.sign(bytesOf(hashBlock(content), hashBytes)))
  return { type: 'state', account, previous, representative, balance, link, signature }
}

/** Whether the account's owner signed this block. */
export function isSignedByItsAccount(block: BlockContent & { readonly signature: string }): boolean {
  const signature = parseHex(block.signature, signatureBytes)
  return signature !== undefined && hasSigned(keyOf(block.account), bytesOf(hashBlock(block), hashBytes), signature)
}

/** What a block's work is computed over: the block before it, or the public key for an account's first. */
export const workRootOf = ({ account, previous }: Pick<BlockContent, 'account' | 'previous'>): string =>
  previous === zeroHash ? upperHex(keyOf(account)) : previous.toUpperCase()

/** Who a send's link pays. `link_as_account`, which blocks carry too, is signed by nobody and means nothing. */
export const receiverOf = ({ link }: Pick<BlockContent, 'link'>): string => nanoAddress(bytesOf(link, hashBytes))

/** The link of a send to this address. */
export const linkTo = (address: string): string => upperHex(keyOf(address))

function keyOf(address: string): Uint8Array {
  const key = parseNanoAddress(address)
  if (key === undefined) throw new RangeError(`${address} is no address`)
  return key
}

function rawBytes(balance: string): Uint8Array {
  if (!isRaw(balance)) throw new RangeError(`${balance} is no number of raw`)
  return bytesOf(
    BigInt(balance)
      .toString(16)
      .padStart(balanceBytes * 2, '0'),
    balanceBytes,
  )
}

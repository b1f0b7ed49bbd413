import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { hashBlock, isBlockContent, isSignedByItsAccount, receiverOf, type SignedBlock } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import type { AccessServices } from '../services.ts'
import type { Refusal } from './outcome.ts'
import type { NanoPayload } from './payment-signature.ts'
import type { Quote } from './quote.ts'

/** A send to a quote's own address: signed and handed to us, or on the chain already. */
export interface NanoProof {
  readonly hash: string
  readonly payer: string
  readonly previous: string
  /** To be published by us; undefined where only its hash is known. */
  readonly block: (SignedBlock & { readonly work: string | null }) | undefined
  readonly isPublished: boolean
}

export type Checked = { readonly proof: NanoProof } | (Refusal & { readonly isStray?: true })

const no = (reason: string) => ({ reason: `invalid_exact_nano_payload_${reason}` })

/** The name of the block that a payload is about, if all that can be said of it without a node is right. */
export function readNanoProof(payload: NanoPayload, quote: Quote): { hash: string } | Refusal {
  if ('blockHash' in payload) return { hash: payload.blockHash }
  const { block } = payload
  if (!isBlockContent(block)) return no('block')
  // `link` is signed and says who is paid. `link_as_account` is neither read nor believed.
  if (receiverOf(block) !== quote.payTo) return no('receiver')
  if (!isSignedByItsAccount(block)) return no('signature')
  return { hash: hashBlock(block) }
}

/** What the chain says of it. A payment is exact, and stands on a block that cannot be forked away. */
export async function checkNanoProof(services: AccessServices, payload: NanoPayload, quote: Quote): Promise<Checked> {
  const read = readNanoProof(payload, quote)
  if ('reason' in read) return read
  return 'blockHash' in payload
    ? checkPublished(services, read.hash, quote)
    : checkBlock(services, payload.block, read.hash, quote)
}

async function checkBlock(
  services: AccessServices,
  given: Extract<NanoPayload, { block: unknown }>['block'],
  hash: string,
  quote: Quote,
): Promise<Checked> {
  const { client } = services.nano
  const payer = nanoAddress(parseNanoAddress(given.account)!)
  const account = await client.accountInfo(payer)
  const previous = given.previous.toUpperCase()
  // Another block stands there already. It may be this one, published by its owner or by us before.
  if (account?.frontier !== previous) {
    return (await client.blockInfo(hash)) ? checkPublished(services, hash, quote) : no('frontier')
  }
  if (account.confirmedFrontier !== previous) return no('frontier_unconfirmed')
  if (account.balance - BigInt(given.balance) !== quote.amount) return no('amount')
  const { type, representative, balance, link, signature } = given
  const block = { type, account: payer, previous, representative, balance, link, signature }
  return { proof: { hash, payer, previous, block: { ...block, work: workOf(services, given) }, isPublished: false } }
}

async function checkPublished({ nano }: AccessServices, hash: string, quote: Quote): Promise<Checked> {
  const info = await nano.client.blockInfo(hash)
  if (!info) return no('block_not_found')
  const { contents, account: payer, amount, subtype } = info
  if (!contents || subtype !== 'send' || receiverOf(contents) !== quote.payTo) return no('receiver')
  // It is ours now, though it buys nothing: somebody has to send it back.
  if (amount !== quote.amount) return { ...no('amount'), isStray: true }
  return { proof: { hash, payer, previous: contents.previous.toUpperCase(), block: undefined, isPublished: true } }
}

/** Work that is not enough for a send is none: the block is the same without it. */
function workOf({ nano }: AccessServices, { work, previous }: { work?: string | null | undefined; previous: string }) {
  return work && isWorkEnough(previous, work, workThresholds[nano.network].send) ? work : null
}

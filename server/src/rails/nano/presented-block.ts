import type { Amount } from '@pennypost/contract/money'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { hashBlock, isBlockContent, isSignedByItsAccount, receiverOf, type SignedBlock } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { z } from 'zod'
import type { NotPayable, PaymentTerms, Recognized, Refusal } from '../rail.ts'
import type { RailServices } from '../services.ts'

const Text = z.string().max(200)

/** How a payer presents a Nano payment: a signed send for us to publish, or the hash of one that is on the chain. */
const NanoPayload = z.union([
  z.object({
    block: z.object({
      type: z.literal('state').default('state'),
      account: Text,
      previous: Text,
      representative: Text,
      balance: Text,
      link: Text,
      signature: Text,
      // Left out or empty: we supply it.
      work: Text.nullish(),
    }),
  }),
  z.object({
    blockHash: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .toUpperCase(),
  }),
])
type NanoPayload = z.output<typeof NanoPayload>
type GivenBlock = Extract<NanoPayload, { block: unknown }>['block']

/** A send to an offer's own address. */
export interface PresentedBlock {
  readonly hash: string
  readonly payer: string
  readonly previous: string
  /** For us to publish; undefined where only its hash is known. */
  readonly block: (SignedBlock & { readonly work: string | null }) | undefined
  readonly isPublished: boolean
}

type Offer = Pick<PaymentTerms<'XNO'>, 'payTo' | 'amount'>

const no = (reason: string) => ({ reason: `invalid_exact_nano_payload_${reason}` })

/** What can be told of a payload without a node. Undefined: it is malformed. */
export function recognizeBlock(payload: unknown, offer: Offer): Recognized | Refusal | undefined {
  const given = NanoPayload.safeParse(payload).data
  if (!given) return undefined
  const read = hashOf(given, offer)
  if ('reason' in read) return read
  const payer = 'block' in given ? nanoAddress(parseNanoAddress(given.block.account)!) : undefined
  // The hash covers everything that the payer decided.
  return { nonce: read.hash, payer, isSame: () => true }
}

function hashOf(given: NanoPayload, offer: Offer): { hash: string } | Refusal {
  if ('blockHash' in given) return { hash: given.blockHash }
  const { block } = given
  if (!isBlockContent(block)) return no('block')
  // `link` is signed and says who is paid. `link_as_account` is neither read nor believed.
  if (receiverOf(block) !== offer.payTo) return no('receiver')
  if (!isSignedByItsAccount(block)) return no('signature')
  return { hash: hashBlock(block) }
}

type Found = PresentedBlock | Omit<NotPayable, 'kind'>

/** What the chain says of it. A payment is exact, and stands on a block that cannot be forked away. */
export async function checkPresentedBlock(
  { nano }: Pick<RailServices, 'nano'>,
  payload: unknown,
  offer: Offer,
): Promise<Found> {
  const given = NanoPayload.parse(payload)
  const read = hashOf(given, offer)
  if ('reason' in read) return read
  return 'blockHash' in given ? checkPublished(nano, read.hash, offer) : checkBlock(nano, given.block, read.hash, offer)
}

type Nano = RailServices['nano']

async function checkBlock(nano: Nano, given: GivenBlock, hash: string, offer: Offer): Promise<Found> {
  const { client } = nano
  const payer = nanoAddress(parseNanoAddress(given.account)!)
  const account = await client.accountInfo(payer)
  const previous = given.previous.toUpperCase()
  // Another block is there already. It may be this one, published by its owner or by us before.
  if (account?.frontier !== previous)
    return (await client.blockInfo(hash)) ? checkPublished(nano, hash, offer) : no('frontier')
  if (account.confirmedFrontier !== previous) return no('frontier_unconfirmed')
  if (account.balance - BigInt(given.balance) !== offer.amount) return no('amount')
  const { type, representative, balance, link, signature } = given
  const work = enoughWork(nano, given)
  const block = { type, account: payer, previous, representative, balance, link, signature, work }
  return { hash, payer, previous, block, isPublished: false }
}

async function checkPublished({ client }: Nano, hash: string, offer: Offer): Promise<Found> {
  const info = await client.blockInfo(hash)
  if (!info) return no('block_not_found')
  const { contents, account: payer, subtype } = info
  const amount: Amount<'XNO'> = info.amount
  if (!contents || subtype !== 'send' || receiverOf(contents) !== offer.payTo) return no('receiver')
  // The money is ours now, though it buys nothing: it has to be sent back.
  if (amount !== offer.amount) return { ...no('amount'), isStray: true }
  return { hash, payer, previous: contents.previous.toUpperCase(), block: undefined, isPublished: true }
}

/** Work that is not enough for a send counts as none: the block is the same without it. */
const enoughWork = ({ network }: Nano, { work, previous }: GivenBlock): string | null =>
  work && isWorkEnough(previous, work, workThresholds[network].send) ? work : null

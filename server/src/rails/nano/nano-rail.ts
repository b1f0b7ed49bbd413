import { setTimeout as wait } from 'node:timers/promises'
import { amountOf } from '@pennypost/contract/money'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import {
  hashBlock,
  isBlockContent,
  isSignedByItsAccount,
  receiverOf,
  type SignedBlock,
  type StateBlock,
  workRootOf,
} from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { z } from 'zod'
import { isNodeError, MalformedReply } from '../node-errors.ts'
import type { NotPayable, PaymentTerms, Rail, Recognized, Refusal } from '../rail.ts'
import type { RailServices } from '../services.ts'
import type { Settlement, WrittenPayment } from '../settlement.ts'
import { listKnownArrivals, listNewArrivals } from './custody/arrivals.ts'
import { addressOf, offerDerivation } from './custody/keyring.ts'

/**
 * The rail for Nano. Payers pay to one of our addresses, a new one for each order or offer. From there we pay the author
 * and keep the commission.
 */
export const nanoRail: Rail<'XNO'> = {
  asset: 'XNO',
  network: 'nano:mainnet',
  isCustodial: true,
  walletKind: 'nano',
  receives: 'receives_nano',
  totalSupply: amountOf('XNO', 133_248_297_920_938_463_463_374_607_431_768_211_455n),
  signingDomain: {},
  isNamedByNonce: true,
  minimum: null,
  assetName: () => 'XNO',
  async offer({ addresses }, { nonce }) {
    const wanted = offerDerivation(nonce)
    return { payTo: await addressOf(addresses, wanted), derivation: wanted.derivation }
  },
  recognize: recognizeBlock,
  async check(services, payload, offer) {
    try {
      const found = await checkPresentedBlock(services, payload, offer)
      if ('reason' in found) return { kind: 'invalid', ...found }
      const { hash, payer, previous, block, isPublished } = found
      return {
        kind: 'payable',
        payer,
        nonce: hash,
        isSent: isPublished,
        proof: { block },
        // A published block has its position on the chain and does not compete with others that wait for the same one.
        previous: isPublished ? null : previous,
        validBefore: null,
        seenAtBlock: null,
      }
    } catch (error) {
      if (isNodeError(error)) return { kind: 'unavailable' }
      throw error
    }
  },
  settle: publishAndWait,
  // Publishing the same block again is harmless, so a retry does the same as the first try.
  reconcile: publishAndWait,
}

const pausesMs = [20, 40, 80, 160, 320, 640, 1000, 1000]

/** Publishes a presented block and waits a while until the network confirms it. */
async function publishAndWait(services: RailServices, payment: WrittenPayment<'XNO'>): Promise<Settlement> {
  const { db, nano } = services
  const { nonce: hash, payTo } = payment
  try {
    for (const pauseMs of pausesMs) {
      const info = await nano.client.blockInfo(hash)
      const arrivals = (info?.isConfirmed && (await listNewArrivals(services, payTo, undefined))) || []
      const isListed = arrivals.some((arrival) => arrival.hash === hash)
      if (isListed || (await listKnownArrivals(db, [hash])).has(hash)) return { kind: 'arrived', arrivals }
      const refusal = info ? undefined : await publish(services, payment)
      if (refusal !== undefined) return { kind: 'refused', reason: refusal, isFinal: false }
      await wait(pauseMs)
    }
    return { kind: 'uncertain', transaction: undefined, cause: 'the network has not confirmed the block yet' }
  } catch (error) {
    if (!isNodeError(error)) throw error
    return { kind: 'uncertain', transaction: undefined, cause: error.message }
  }
}

/** Returns why the block will never be confirmed, if that is certain. */
async function publish({ nano }: RailServices, payment: WrittenPayment<'XNO'>): Promise<string | undefined> {
  const { block } = payment.proof as Pick<PresentedBlock, 'block'>
  if (!block) return undefined
  const work = block.work ?? (await nano.work.generate(workRootOf(block), workThresholds[nano.network].send))
  const outcome = await nano.client.process({ ...block, work } as StateBlock)
  // One node's refusal is only its view. The block itself, or a confirmed one at its position, is conclusive.
  const isDoubted = outcome.kind === 'refused' || outcome.kind === 'fork' || outcome.kind === 'gap'
  if (!isDoubted || (await nano.client.blockInfo(payment.nonce))) return undefined
  return outcome.kind === 'refused' ? outcome.reason : replacedBy(nano, payment)
}

/** Whether the payer's account has confirmed another block at this position. */
async function replacedBy(
  { client }: RailServices['nano'],
  { previous, nonce }: WrittenPayment<'XNO'>,
): Promise<string | undefined> {
  const successor = (await client.blockInfo(previous!))?.successor
  if (successor === undefined || successor === nonce) return undefined
  return (await client.blockInfo(successor))?.isConfirmed ? 'the account wrote another block instead' : undefined
}

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
      // We compute it if it is missing or empty.
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

/** A send to the address of an offer. */
interface PresentedBlock {
  readonly hash: string
  readonly payer: string
  readonly previous: string
  /** The block for us to publish. Undefined if only its hash is known. */
  readonly block: (SignedBlock & { readonly work: string | null }) | undefined
  readonly isPublished: boolean
}

type Offer = Pick<PaymentTerms<'XNO'>, 'payTo' | 'amount'>

const no = (reason: string) => ({ reason: `invalid_exact_nano_payload_${reason}` })

/** Reads a payload without calling a node. Returns undefined if it is malformed. */
function recognizeBlock(payload: unknown, offer: Offer): Recognized | Refusal | undefined {
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

/** Checks it against the chain. The amount must be exact, and the previous block must be confirmed. */
async function checkPresentedBlock(
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
  // There is already a block at this position. It may be this one, published earlier by its owner or by us.
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
  if (!contents || subtype !== 'send' || receiverOf(contents) !== offer.payTo) return no('receiver')
  // Another node may know it.
  if (info.amount === undefined) throw new MalformedReply('the node does not know how much was sent')
  // The money has reached us but buys nothing, so it has to be sent back.
  if (info.amount !== offer.amount) return { ...no('amount'), isStray: true }
  return { hash, payer, previous: contents.previous.toUpperCase(), block: undefined, isPublished: true }
}

/** Drops work that is too little for a send. The block is the same without it. */
const enoughWork = ({ network }: Nano, { work, previous }: GivenBlock): string | null =>
  work && isWorkEnough(previous, work, workThresholds[network].send) ? work : null

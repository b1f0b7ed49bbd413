// Payments on the development ledger and the development chain.
import { randomUUID } from 'node:crypto'
import { call, send } from '@pennypost/contract/client'
import { contract } from '@pennypost/contract/contract'
import { mintTestUsdc, moveClock, readBaseChain, sendFromNanoFaucet } from '@pennypost/contract/development-tools'
import { createBaseWallet, payWith } from '../../server/dist/test/base-wallet.js'
import { until } from './world.mjs'

const at = (world) => ({ baseUrl: world.origin })

export const sendNano = (world, to, amountRaw) =>
  call(sendFromNanoFaucet, { body: { to, amountRaw: String(amountRaw) } }, at(world))
export const mintUsdc = (world, to, amountAtomic) => call(mintTestUsdc, { body: { to, amountAtomic } }, at(world))
export const advanceClock = (world, seconds) => call(moveClock, { body: { advanceSeconds: seconds } }, at(world))

/** What a `nano:` link asks for. */
export function readNanoLink(link) {
  const { protocol, pathname: address, searchParams } = new URL(link)
  if (protocol !== 'nano:') throw new Error(`${link} is no nano: link`)
  return { address, amount: BigInt(searchParams.get('amount')), label: searchParams.get('label') }
}

export async function payNanoLink(world, link) {
  const { address, amount } = readNanoLink(link)
  await sendNano(world, address, amount)
}

/** Whether the service has a development chain of Base. */
export const hasBase = async (world) => (await send(readBaseChain, {}, at(world))).status === 200

const isPaid = ({ status }) => status === 'received' || status === 'paid'

/** Creates an order for a post. `payOrder` pays it. */
export async function createOrder(person, postId) {
  const { body } = await person.owner.createPurchase({ idempotencyKey: randomUUID(), body: { postId } })
  return body.purchase
}

export async function payOrder(world, person, { id, amount_raw: amount, ephemeral_address: address }) {
  await sendNano(world, address.ephemeral_address, amount)
  await until(async () => isPaid((await person.owner.getPurchase({ params: { purchaseId: id } })).body))
}

export const buyWithNano = async (world, person, postId) => payOrder(world, person, await createOrder(person, postId))

export async function tip(world, person, postId, amountRaw, message) {
  const { body } = await person.owner.tipPost({
    params: { postId },
    idempotencyKey: randomUUID(),
    body: { amountRaw: String(amountRaw), message },
  })
  await sendNano(world, body.session.ephemeral_address.ephemeral_address, amountRaw)
  await until(async () => isPaid((await person.owner.getTip({ params: { sessionId: body.session.id } })).body))
}

/** Buys with USDC without an account, as a program does. Returns false if there is no development chain. */
export async function buyWithUsdc(world, postId) {
  if (!(await hasBase(world))) return false
  const wallet = createBaseWallet()
  await mintUsdc(world, wallet.address, '5000000')
  const getAccess = (headers) => send(contract.getAccess, { params: { postId }, headers }, at(world))
  const { body } = await getAccess({})
  const accepted = body.accepts.find(({ network }) => network === 'eip155:8453')
  const { payload } = await payWith(wallet, accepted)
  const signature = Buffer.from(JSON.stringify({ x402Version: 2, payload, accepted })).toString('base64')
  await until(async () => (await getAccess({ 'payment-signature': signature })).status === 200)
  return true
}

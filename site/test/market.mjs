// Money for the people of the town, on the development ledger and the development chain.
import { randomUUID } from 'node:crypto'
import { contract } from '@pennypost/contract/contract'
import { mintTestUsdc, moveClock, readBaseChain, sendFromNanoFaucet } from '@pennypost/contract/dev'
import { call, createClient, send } from '@pennypost/sdk/client'
import { createBaseWallet, payWith } from '../../server/dist/test/base-wallet.js'
import { until } from './world.mjs'

const xno = 10n ** 30n
const at = (world) => ({ baseUrl: world.origin })

/** Days pass, and whoever is there signs in again. */
export async function daysPass(world, days, people) {
  await call(moveClock, { body: { advanceSeconds: days * 86_400 } }, at(world))
  for (const person of people) {
    const anybody = createClient(contract, at(world))
    const { body: pair } = await anybody.refreshSession({ body: { refreshToken: person.pair.refreshToken } })
    person.pair = pair
    person.owner = createClient(contract, { ...at(world), token: pair.accessToken })
  }
}

const pays = (world, to, amountRaw) =>
  call(sendFromNanoFaucet, { body: { to, amountRaw: String(amountRaw) } }, at(world))

/** Asks for the price of a Post; paying it is another matter. */
export async function quotes(person, postId) {
  const { body } = await person.owner.createPurchase({ idempotencyKey: randomUUID(), body: { postId } })
  return body.purchase
}

export async function paysFor(world, person, { id, amount_raw: amount, ephemeral_address: address }) {
  await pays(world, address.ephemeral_address, amount)
  await until(async () => {
    const { body } = await person.owner.getPurchase({ params: { purchaseId: id } })
    return body.status !== 'pending'
  })
}

export const buys = async (world, person, postId) => paysFor(world, person, await quotes(person, postId))

export async function tips(world, person, postId, amount, message) {
  const { body } = await person.owner.tipPost({
    params: { postId },
    idempotencyKey: randomUUID(),
    body: { amountRaw: String(amount), message },
  })
  await pays(world, body.session.ephemeral_address.ephemeral_address, amount)
  await until(async () => {
    const { body: tip } = await person.owner.getTip({ params: { sessionId: body.session.id } })
    return tip.status !== 'pending'
  })
}

/** Somebody without an account buys with USDC, as a program does. False where there is no development chain. */
export async function buysWithUsdc(world, postId) {
  if ((await send(readBaseChain, {}, at(world))).status !== 200) return false
  const wallet = createBaseWallet()
  await call(mintTestUsdc, { body: { to: wallet.address, amountAtomic: '5000000' } }, at(world))
  const ask = (headers) => send(contract.getAccess, { params: { postId }, headers }, at(world))
  const { body } = await ask({})
  const accepted = body.accepts.find(({ network }) => network === 'eip155:8453')
  const { payload } = await payWith(wallet, accepted)
  const proof = Buffer.from(JSON.stringify({ x402Version: 2, payload, accepted })).toString('base64')
  await until(async () => (await ask({ 'payment-signature': proof })).status === 200)
  return true
}

/** A month of trade for Ada. */
export async function tradeForAMonth(world, { ada, tomas, wren, postId }) {
  const people = [ada, tomas, wren]
  const { body: other } = await ada.publisher.createPost({
    body: {
      title: 'What the tender carried',
      description: 'Eleven years of coal, flour and letters.',
      freeContentMarkdown: 'The list begins with coal.',
      category: 'culture',
      language: 'en',
      creationMethod: 'human',
      creationAttested: true,
    },
  })
  await ada.publisher.publishPost({ params: { postId: other.id } })
  for (let guest = 0; guest < 3; guest += 1) await buysWithUsdc(world, postId)
  await buys(world, tomas, postId)
  for (const [index, tenths] of [3n, 12n, 5n, 20n, 8n, 15n, 4n, 9n].entries()) {
    await daysPass(world, 2 + (index % 3), people)
    if (index === 3) await buys(world, wren, postId)
    const target = index % 3 === 1 ? other.id : postId
    await tips(world, index % 2 === 0 ? tomas : wren, target, (tenths * xno) / 10n, 'For the footnote.')
  }
  return other.id
}

// Buyers who follow what the service says, whatever happens to it: they keep what they have signed, and ask again.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '../../contract/dist/client.js'
import { contract } from '../../contract/dist/contract.js'
import { linkTo } from '../../nano/dist/block.js'
import { base64 } from '../../server/dist/access/x402/buying.fixture.js'
import { createBaseWallet, payWith } from '../../server/dist/test/base-wallet.js'
import { fetchFrom } from '../people.mjs'

const timeoutMs = 20_000
const pauseMs = 500
const secret = 'the-secret-part'
/** A signature in USDC is good for this long, so its outcome is known soon. */
const goodForSeconds = 75

/** Fetches with a time limit. Undefined if there was no usable reply. */
async function ask(url, init, tally) {
  try {
    const reply = await tally.counted(init.fetch)(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    return { status: reply.status, headers: reply.headers, body: await reply.json() }
  } catch {
    return undefined
  }
}

/** Buys by x402: asks for the price, signs once, and sends the same signature until there is an outcome. */
async function buyByX402({ origin, postId, network, sign, tally, until }) {
  const fetch = fetchFrom()
  let order
  while (!until.aborted) {
    const headers = order ? { 'payment-signature': base64({ x402Version: 2, ...order }) } : {}
    const reply = await ask(`${origin}/api/posts/${postId}/access`, { fetch, headers }, tally)
    if (reply?.status === 200 && reply.body.paidContentMarkdown === secret) return { order }
    if (reply?.status === 402 && reply.headers.has('payment-required')) {
      // A price: the first one, or because the payment was refused.
      const accepted = reply.body.accepts.find((one) => one.network === network)
      if (accepted) order = { accepted, payload: await sign(accepted) }
      else await wait(pauseMs)
    } else await wait(pauseMs)
  }
  return undefined
}

/** A wallet that buys one post after the other. */
export async function createNanoBuyer({ origin, network, funds, tally }) {
  // A wallet that could not be filled is left behind.
  const wallet = await persist(() => network.fundedWallet(funds))
  const spendBlock = (to, amount) =>
    persist(async () => {
      const { balance } = await network.client.accountInfo(wallet.address)
      return wallet.next({ balance: balance - amount, link: linkTo(to) })
    })
  return {
    wallet,
    bought: [],
    async buy(postId, until) {
      const sign = async ({ payTo, amount }) => ({ block: await spendBlock(payTo, BigInt(amount)) })
      const done = await buyByX402({ origin, postId, network: 'nano:mainnet', sign, tally, until })
      if (done) this.bought.push({ postId, amount: BigInt(done.order.accepted.amount), order: done.order })
      return done !== undefined
    },
    /** As a person without an account does on the site: with a link for any wallet. */
    async buyAsGuest(postId, until) {
      const from = tally.counted(fetchFrom())
      const fetch = (input, init) => from(input, { ...init, signal: AbortSignal.timeout(timeoutMs) })
      const client = createClient(contract, { baseUrl: origin, fetch })
      const idempotencyKey = randomUUID()
      const { body } = await persist(
        () => client.createCheckout({ idempotencyKey, body: { postId, asset: 'XNO' } }),
        until,
      )
      const { checkout, payment, checkoutCredential } = body
      const amount = BigInt(payment.amountRaw)
      const block = await spendBlock(payment.address, amount)
      await persist(async () => {
        const outcome = await network.client.process(block)
        if (!['accepted', 'old'].includes(outcome.kind)) throw new Error(`${outcome.kind}`)
      }, until)
      const guest = createClient(contract, { baseUrl: origin, fetch, token: checkoutCredential })
      while (!until.aborted) {
        const reply = await guest.getCheckout({ params: { checkoutId: checkout.id } }).catch(() => undefined)
        const token = reply?.body.session?.accessToken
        if (token) {
          const reader = createClient(contract, { baseUrl: origin, fetch, token })
          const access = await reader.getAccess({ params: { postId } }).catch(() => undefined)
          if (access?.body.paidContentMarkdown === secret) {
            this.bought.push({ postId, amount })
            return true
          }
        }
        await wait(pauseMs)
      }
      return false
    },
  }
}

export function createUsdcBuyer({ origin, tally }) {
  const wallet = createBaseWallet()
  return {
    wallet,
    bought: [],
    async buy(postId, until) {
      const sign = async (accepted) =>
        (await payWith(wallet, { ...accepted, maxTimeoutSeconds: goodForSeconds })).payload
      const done = await buyByX402({ origin, postId, network: 'eip155:8453', sign, tally, until })
      if (done) this.bought.push({ postId, amount: BigInt(done.order.accepted.amount), order: done.order })
      return done !== undefined
    },
  }
}

/** Repeats a function until it succeeds. Only for what is safe to repeat. */
export async function persist(act, until = { aborted: false }) {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (until.aborted || (error.status >= 400 && error.status < 500 && error.status !== 429)) throw error
      await wait(pauseMs)
    }
  }
}

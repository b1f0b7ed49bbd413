// Authors, readers and wallets that use the cluster as anyone would: over HTTP, by email, with blocks and signatures.
import { randomUUID } from 'node:crypto'
import { createClient } from '../contract/dist/client.js'
import { contract } from '../contract/dist/contract.js'
import { createFaucet } from '../server/dist/development/nano-ledger/faucet.js'
import { systemClock } from '../server/dist/platform/clock.js'
import { createLog } from '../server/dist/platform/log.js'
import { createNodeClient } from '../server/dist/rails/nano/node/node-client.js'
import { createRpcEndpoint } from '../server/dist/rails/nano/node/rpc-endpoint.js'
import { openWorkSource } from '../server/dist/rails/nano/work/work-source.js'
import { createNanoWallet, fundedNanoWallet } from '../server/dist/test/nano-wallet.js'
import { until } from '../server/dist/test/until.js'

export { until }

let addresses = 0

/** Sends every request from the same invented address, one for each person, as a proxy would report it. */
export function fetchFrom(address = `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`) {
  return (input, init = {}) => {
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
    headers.set('x-forwarded-for', address)
    return fetch(input, { ...init, headers })
  }
}

/** Registers by email. Returns clients for the session and for the publishing key. Requests go through `wrap(fetch)`. */
export async function register({ origin, parts: { smtp } }, name = 'Ada', wrap = (fetch) => fetch) {
  const registrationId = randomUUID()
  const email = `${registrationId}@example.com`
  const fetch = wrap(fetchFrom())
  const stranger = createClient(contract, { baseUrl: origin, fetch })
  const handle = `${name.toLowerCase()}_${registrationId.slice(0, 8)}`
  const body = { email, name, handle, acceptedTerms: true }
  await stranger.startRegistration({ idempotencyKey: registrationId, body })
  const code = await until(
    'the code is mailed',
    async () => /\b(\d{6})\b/.exec(textOf(await smtp.newestTo(email)))?.[1],
  )
  const params = { registrationId }
  const tokens = (await stranger.verifyRegistration({ params, body: { code } })).body
  const session = createClient(contract, { baseUrl: origin, token: tokens.accessToken, fetch })
  const { key, profile } = (await session.issueRegistrationKey({ params, body: {} })).body
  return {
    email,
    handle,
    profile,
    tokens,
    key,
    session,
    author: createClient(contract, { baseUrl: origin, token: key, fetch }),
    fetch,
  }
}

/** The text after the headers of an email, without soft line breaks. */
const textOf = (email = '') => email.slice(email.indexOf('\r\n\r\n')).replaceAll('=\r\n', '')

/** A Nano network with money for everyone. */
export function openNanoNetwork({ rpcUrl }) {
  const log = createLog('silent')
  const client = createNodeClient([createRpcEndpoint({ url: rpcUrl, clock: systemClock(), log, timeoutMs: 10_000 })])
  const work = openWorkSource({ server: undefined, log })
  const faucet = createFaucet(client, work)
  return {
    client,
    work,
    wallet: () => createNanoWallet({ client, work }),
    fundedWallet: (amountRaw) => fundedNanoWallet({ client, work, faucet }, amountRaw),
    close: () => work.close(),
  }
}

/** Publishes a post. With a price, in raw or in units of USDC, it has a paid part. */
export async function publish({ author }, { title, priceRaw, priceUsdc }) {
  const paid = (priceRaw || priceUsdc) && {
    paidContentMarkdown: 'the-secret-part',
    enablePaywall: true,
    priceCurrency: priceRaw ? 'XNO' : 'USDC',
    priceAtomic: String(priceRaw ?? priceUsdc),
  }
  const about = { category: 'technology', language: 'en', creationMethod: 'human', creationAttested: true }
  const { body } = await author.createPost({ body: { title, freeContentMarkdown: 'Free text.', ...paid, ...about } })
  await author.publishPost({ params: { postId: body.id } })
  return body.id
}

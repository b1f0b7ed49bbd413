// Money for tests: the development ledger's, and a wallet in the browser that signs as real ones do.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { until } from './world.mjs'

async function post(world, path, body) {
  const reply = await fetch(world.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json()
}

export const sendNano = (world, to, amountRaw) => post(world, '/dev/nano/send', { to, amountRaw: String(amountRaw) })
export const mintUsdc = (world, to, amountAtomic) => post(world, '/dev/base/mint', { to, amountAtomic })
export const advance = (world, seconds) => post(world, '/dev/clock', { advanceSeconds: seconds })

/** Buys a Post as an API caller does, and waits until it is theirs. */
export async function buysWithNano(world, person, postId, key = crypto.randomUUID()) {
  const { body } = await person.owner.createPurchase({ idempotencyKey: key, body: { postId } })
  await sendNano(world, body.ephemeral_address.ephemeral_address, body.purchase.amount_raw)
  await until(async () => {
    const { body: seen } = await person.owner.getPurchase({ params: { purchaseId: body.purchase.id } })
    return seen.status === 'paid'
  })
}

/** Whether this service has the development chain of Base. */
export const hasBase = async (world) => (await fetch(`${world.origin}/dev/base`)).ok

/**
 * Puts a wallet into a browser. It announces itself (EIP-6963), names its account in small letters, is on another chain
 * at first, and writes down what it was asked for. `declines` makes its owner say no once.
 */
export async function givesWallet(page, account = privateKeyToAccount(generatePrivateKey())) {
  const asked = []
  const state = { chainId: '0x1', declines: undefined }
  await page.exposeFunction('askTestWallet', async (method, params) => {
    asked.push(method)
    if (state.declines === method) {
      state.declines = undefined
      return { error: { code: 4001, message: 'User rejected the request.' } }
    }
    if (method === 'eth_requestAccounts') return { result: [account.address.toLowerCase()] }
    if (method === 'eth_chainId') return { result: state.chainId }
    if (method === 'wallet_switchEthereumChain') {
      state.chainId = params[0].chainId
      return { result: null }
    }
    if (method === 'personal_sign') return { result: await account.signMessage({ message: { raw: params[0] } }) }
    if (method === 'eth_signTypedData_v4') {
      const { EIP712Domain: _, ...types } = JSON.parse(params[1]).types
      return { result: await account.signTypedData({ ...JSON.parse(params[1]), types }) }
    }
    return { error: { code: 4200, message: `${method} is unknown` } }
  })
  await page.addInitScript(() => {
    const provider = {
      async request({ method, params = [] }) {
        const { result, error } = await globalThis.askTestWallet(method, params)
        if (error) throw Object.assign(new Error(error.message), error)
        return result
      },
    }
    const info = { uuid: '7a1f4b52-0000-4000-8000-000000000001', name: 'Test wallet', icon: '', rdns: 'test.wallet' }
    const announce = () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
    addEventListener('eip6963:requestProvider', announce)
    announce()
  })
  return { account, address: account.address, asked, state }
}

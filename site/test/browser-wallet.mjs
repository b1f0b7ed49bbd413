// A wallet in the browser that signs as real ones do.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/**
 * Installs a wallet in a page. It announces itself (EIP-6963), returns its account in lower case, starts on another chain
 * and records the methods it was called with. Setting `state.declines` to a method makes its owner decline that once.
 */
export async function installWallet(page, account = privateKeyToAccount(generatePrivateKey())) {
  const calls = []
  const state = { chainId: '0x1', declines: undefined }
  await page.exposeFunction('callTestWallet', async (method, params) => {
    calls.push(method)
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
        const { result, error } = await globalThis.callTestWallet(method, params)
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
  return { account, address: account.address, calls, state }
}

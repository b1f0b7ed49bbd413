// Wallets in the browser: how a page finds them (EIP-6963) and calls them (EIP-1193).

import { toHex } from '../to-hex.ts'

interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string }
  readonly provider: Provider
}

declare global {
  interface Window {
    readonly ethereum?: Provider
  }
  interface WindowEventMap {
    'eip6963:announceProvider': CustomEvent<Announcement>
  }
}

export interface BrowserWallet {
  readonly name: string
  /** Asks the user for access and returns the account that they chose. */
  connect(): Promise<string>
  /** Switches the wallet to Base; adds that network if the wallet does not know it. */
  useBase(): Promise<void>
  signText(address: string, text: string): Promise<string>
  signTypedData(address: string, typedData: object): Promise<string>
}

// Most wallets announce themselves immediately; some need a moment to start.
const announceMs = 120

/** The wallets of this browser, without duplicates. */
export async function findWallets(): Promise<BrowserWallet[]> {
  const found = new Map<string, BrowserWallet>()
  const add = ({ detail: { info, provider } }: WindowEventMap['eip6963:announceProvider']) =>
    found.set(info.uuid, wrapProvider(info.name, provider))
  addEventListener('eip6963:announceProvider', add)
  dispatchEvent(new Event('eip6963:requestProvider'))
  await new Promise((resolve) => setTimeout(resolve, announceMs))
  removeEventListener('eip6963:announceProvider', add)
  if (found.size === 0 && window.ethereum) return [wrapProvider('Browser wallet', window.ethereum)]
  return [...found.values()]
}

const baseChain = '0x2105'
/** The description of Base for wallets that do not know it. */
const base = {
  chainId: baseChain,
  chainName: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: ['https://mainnet.base.org'],
  blockExplorerUrls: ['https://basescan.org'],
}
const unknownChain = 4902

function wrapProvider(name: string, provider: Provider): BrowserWallet {
  const request = (method: string, ...params: readonly unknown[]) => provider.request({ method, params })
  return {
    name,
    async connect() {
      const [address] = (await request('eth_requestAccounts')) as string[]
      if (address === undefined) throw new WalletError('The wallet did not share an account.')
      return address
    },
    async useBase() {
      if (Number(await request('eth_chainId')) === Number(baseChain)) return
      try {
        await request('wallet_switchEthereumChain', { chainId: baseChain })
      } catch (error) {
        if ((error as { code?: number }).code !== unknownChain) throw error
        await request('wallet_addEthereumChain', base)
      }
    },
    signText: async (address, text) => String(await request('personal_sign', textToHex(text), address)),
    signTypedData: async (address, typedData) =>
      String(await request('eth_signTypedData_v4', address, JSON.stringify(typedData))),
  }
}

const textToHex = (text: string): string => `0x${toHex(new TextEncoder().encode(text))}`

/** A wallet did not do what we requested. The message is for the user. */
export class WalletError extends Error {}

/** The message for a wallet's error code; undefined if the error is not a wallet's. 4001 means that the user declined. */
export function walletErrorMessage(error: unknown): string | undefined {
  if (error instanceof WalletError) return error.message
  const code = (error as { code?: unknown } | null)?.code
  if (code === 4001) return 'You declined in the wallet. Nothing was signed.'
  if (code === -32002) return 'The wallet is waiting for you already: open it.'
  return typeof code === 'number' ? 'The wallet could not do that.' : undefined
}

// Wallets that live in the browser: how pages find them (EIP-6963) and speak to them (EIP-1193).

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
  /** Asks to be let in. Answers the account that its owner chose. */
  connect(): Promise<string>
  /** Makes sure that what is signed is for Base. */
  useBase(): Promise<void>
  signText(address: string, text: string): Promise<string>
  signTypedData(address: string, typedData: object): Promise<string>
}

// Wallets announce themselves at once; some first have to wake up.
const announceMs = 120

/** The wallets of this browser, each once. */
export async function findWallets(): Promise<BrowserWallet[]> {
  const found = new Map<string, BrowserWallet>()
  const hear = ({ detail: { info, provider } }: WindowEventMap['eip6963:announceProvider']) =>
    found.set(info.uuid, wrapProvider(info.name, provider))
  addEventListener('eip6963:announceProvider', hear)
  dispatchEvent(new Event('eip6963:requestProvider'))
  await new Promise((resolve) => setTimeout(resolve, announceMs))
  removeEventListener('eip6963:announceProvider', hear)
  if (found.size === 0 && window.ethereum) return [wrapProvider('Browser wallet', window.ethereum)]
  return [...found.values()]
}

const baseChain = '0x2105'
/** What a wallet that has never heard of Base is told. */
const base = {
  chainId: baseChain,
  chainName: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: ['https://mainnet.base.org'],
  blockExplorerUrls: ['https://basescan.org'],
}
const unknownChain = 4902

function wrapProvider(name: string, provider: Provider): BrowserWallet {
  const ask = (method: string, ...params: readonly unknown[]) => provider.request({ method, params })
  return {
    name,
    async connect() {
      const [address] = (await ask('eth_requestAccounts')) as string[]
      if (address === undefined) throw new WalletError('The wallet named no account.')
      return address
    },
    async useBase() {
      if (Number(await ask('eth_chainId')) === Number(baseChain)) return
      try {
        await ask('wallet_switchEthereumChain', { chainId: baseChain })
      } catch (error) {
        if ((error as { code?: number }).code !== unknownChain) throw error
        await ask('wallet_addEthereumChain', base)
      }
    },
    signText: async (address, text) => String(await ask('personal_sign', hexOfText(text), address)),
    signTypedData: async (address, typedData) =>
      String(await ask('eth_signTypedData_v4', address, JSON.stringify(typedData))),
  }
}

const hexOfText = (text: string): string =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** A wallet did not do what it was asked for; says why, for a person. */
export class WalletError extends Error {}

/** What a wallet's refusal means: 4001 is its owner's own no. */
export function walletErrorMessage(error: unknown): string | undefined {
  if (error instanceof WalletError) return error.message
  const code = (error as { code?: unknown } | null)?.code
  if (code === 4001) return 'You declined in the wallet. Nothing was signed.'
  if (code === -32002) return 'The wallet is waiting for you already: open it.'
  return typeof code === 'number' ? 'The wallet could not do that.' : undefined
}

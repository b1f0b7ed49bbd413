import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  encodeFunctionData,
  getAddress,
  hashMessage,
  hashTypedData,
  parseAbi,
  serializeErc6492Signature,
} from 'viem/utils'
import { sendFromNewAccount } from '../development/base-chain/chain-contents.ts'
import type { EmbeddedChain } from '../rails/base/embedded-chain.ts'
import type { Hex } from '../rails/base/rpc/chain-replies.ts'
import { smartWalletFactoryCode, trickWalletCode } from './smart-wallet-code.ts'

/** A signer for an account on Base, with the methods that standard x402 clients need. */
export interface BaseWallet {
  readonly address: Hex
  // biome-ignore lint/suspicious/noExplicitAny: as wide as the client's own type
  signTypedData(typed: any): Promise<Hex>
  signMessage(message: string): Promise<Hex>
}

export function createBaseWallet(privateKey: Hex = generatePrivateKey()): BaseWallet & { readonly privateKey: Hex } {
  const account = privateKeyToAccount(privateKey)
  return {
    privateKey,
    address: account.address,
    signTypedData: (typed) => account.signTypedData(typed),
    signMessage: (message) => account.signMessage({ message }),
  }
}

const factoryAbi = parseAbi([
  'function create(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
])

export interface SmartWallet extends BaseWallet {
  deploy(): Promise<void>
}

export interface SmartWallets {
  readonly factory: Hex
  /** A smart wallet of this owner. If it is not deployed, its signatures include the deployment call (ERC-6492). */
  create(options: { isDeployed: boolean; owner?: BaseWallet & { privateKey: Hex } }): Promise<SmartWallet>
}

export async function smartWalletsOn(chain: EmbeddedChain): Promise<SmartWallets> {
  const { contractAddress } = await sendFromNewAccount(chain.call, { data: smartWalletFactoryCode })
  const factory = getAddress(contractAddress!)
  let salts = 0
  return {
    factory,
    async create({ isDeployed, owner = createBaseWallet() }) {
      salts += 1
      const args = [owner.address, `0x${salts.toString(16).padStart(64, '0')}`] as const
      const data = encodeFunctionData({ abi: factoryAbi, functionName: 'create', args })
      const request = { to: factory, data: encodeFunctionData({ abi: factoryAbi, functionName: 'addressOf', args }) }
      const address = getAddress(`0x${String(await chain.call('eth_call', request, 'latest')).slice(26)}`)
      const deploy = async () => {
        const { status } = await sendFromNewAccount(chain.call, { to: factory, data })
        if (status !== '0x1') throw new Error('the wallet was not deployed')
      }
      if (isDeployed) await deploy()
      const account = privateKeyToAccount(owner.privateKey)
      const sign = async (hash: Hex) => {
        const signature = await account.sign({ hash })
        return isDeployed ? signature : serializeErc6492Signature({ address: factory, data, signature })
      }
      return {
        address,
        deploy,
        signTypedData: (typed) => sign(hashTypedData(typed)),
        signMessage: (message) => sign(hashMessage(message)),
      }
    },
  }
}

/** A smart wallet that makes payments fail which were simulated successfully: always if `seesPrice`, else after `turn`. */
export async function createTrickWallet(
  chain: EmbeddedChain,
  { seesPrice }: { seesPrice: boolean },
): Promise<BaseWallet & { turn(): Promise<void> }> {
  const data: Hex = `${trickWalletCode}${String(Number(seesPrice)).padStart(64, '0')}`
  const address = getAddress((await sendFromNewAccount(chain.call, { data })).contractAddress!)
  const sign = async (): Promise<Hex> => `0x${'11'.repeat(70)}`
  const turn = async () => {
    await sendFromNewAccount(chain.call, {
      to: address,
      data: encodeFunctionData({ abi: turnAbi, functionName: 'turn' }),
    })
  }
  return { address, signTypedData: sign, signMessage: sign, turn }
}

const turnAbi = parseAbi(['function turn()'])

/** Creates the payment that a standard x402 client makes for these requirements. */
export async function payWith(wallet: BaseWallet, requirements: PaymentRequirements): Promise<PaymentPayload> {
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet)).setSpendControls(false)
  const resource = { url: 'http://pennypost.test/api/posts/1/access', description: '', mimeType: 'application/json' }
  return client.createPaymentPayload({ x402Version: 2, resource, accepts: [requirements] })
}

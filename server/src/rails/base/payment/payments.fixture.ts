import type { TestContext } from 'node:test'
import type { PaymentRequirements } from '@x402/core/types'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { developmentSettlerKey, sendFromNewAccount } from '../../../development/base-chain/chain-contents.ts'
import type { DevelopmentChain } from '../../../development/base-chain/development-chain.ts'
import { movableClock, type ServiceClock } from '../../../platform/clock.ts'
import { createLog } from '../../../platform/log.ts'
import { borrowTestChain } from '../../../test/base-chain.ts'
import { type BaseWallet, createBaseWallet, payWith } from '../../../test/base-wallet.ts'
import type { SignedTransaction, Store } from '../../settlement.ts'
import { baseChainId } from '../base-chain-id.ts'
import { readAuthorization, writtenOf } from '../base-rail.ts'
import { createChainClient } from '../rpc/chain-client.ts'
import type { Hex } from '../rpc/chain-replies.ts'
import { createRpcEndpoint } from '../rpc/rpc-endpoint.ts'
import type { Authorization, Facilitator, PaymentProof, Token, WrittenAuthorization } from './facilitator.ts'
import { createOwnFacilitator } from './own-facilitator.ts'
import { accountOf } from './settler-account.ts'

export const usdcToken: Token = {
  network: 'eip155:8453',
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  name: 'USD Coin',
  version: '2',
}

/** A shop that takes USDC on a separate chain, with the transactions it stored. */
export interface Shop {
  readonly chain: DevelopmentChain
  readonly clock: ServiceClock
  readonly payTo: Hex
  readonly facilitator: Facilitator
  readonly stored: (SignedTransaction & { readonly signedAt: Date })[]
  readonly store: Store
  facilitatorAt(urls: readonly string[], options?: FacilitatorOptions): Facilitator
  requirements(amountAtomic?: bigint): PaymentRequirements
  /** A wallet with this much USDC. */
  fundedWallet(amountAtomic?: bigint): Promise<BaseWallet & { readonly privateKey: Hex }>
  /** A proof made by a stock client. */
  proofOf(wallet: BaseWallet, amountAtomic?: bigint): Promise<PaymentProof>
  balance(address: string): Promise<bigint>
  /** Verifies, then settles, as a caller should. */
  take(proof: PaymentProof, by?: Facilitator): ReturnType<Facilitator['settle']>
  written(proof: PaymentProof, seenAtBlock: bigint): WrittenAuthorization
}

export interface FacilitatorOptions {
  readonly walletFactories?: readonly string[]
  readonly settleTimeoutMs?: number
  readonly timeoutMs?: number
  readonly token?: Token
}

const log = createLog('silent')
export const price = 250_000n

export async function openShop(t: TestContext): Promise<Shop> {
  const clock = await movableClock()
  const chain = await borrowTestChain({ clock, usdc: usdcToken.address })
  t.after(() => chain.close())
  const payTo = createBaseWallet().address
  const stored: Shop['stored'] = []
  const store: Store = async (transaction) => {
    const { signer, nonce, replaces } = transaction
    const rival = stored.find((known) => known.signer === signer && known.nonce === nonce)
    if (rival && !replaces) return { takenBy: rival.raw }
    stored.push({ ...transaction, signedAt: clock.now() })
    return 'stored'
  }
  const facilitatorAt: Shop['facilitatorAt'] = (urls, options = {}) => {
    const { walletFactories = [], settleTimeoutMs = 5_000, timeoutMs = 4_000, token = usdcToken } = options
    const endpoints = urls.map((url) => createRpcEndpoint({ url, chainId: baseChainId, clock, log, timeoutMs }))
    const client = createChainClient(endpoints, 'pending')
    const account = accountOf(developmentSettlerKey)
    return createOwnFacilitator({ chain: client, token, account, walletFactories, clock, log, settleTimeoutMs })
  }
  const shop: Shop = {
    chain,
    clock,
    payTo,
    stored,
    store,
    facilitatorAt,
    // A busy machine takes long to simulate a wallet that burns gas.
    facilitator: facilitatorAt([chain.rpcUrl], { timeoutMs: 30_000 }),
    requirements: (amountAtomic = price) => ({
      scheme: 'exact',
      network: 'eip155:8453',
      asset: usdcToken.address,
      amount: String(amountAtomic),
      payTo,
      maxTimeoutSeconds: 300,
      extra: { name: 'USD Coin', version: '2', quote: 'token' },
    }),
    async fundedWallet(amountAtomic = 10_000_000n) {
      const wallet = createBaseWallet()
      await chain.mint(wallet.address, amountAtomic)
      return wallet
    },
    async proofOf(wallet, amountAtomic) {
      const requirements = shop.requirements(amountAtomic)
      return { payload: await payWith(wallet, requirements), requirements }
    },
    async balance(address) {
      const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
      return BigInt(String(await chain.call('eth_call', { to: usdcToken.address, data }, 'latest')))
    },
    async take(proof, by = shop.facilitator) {
      const verdict = await by.verify(proof)
      if (verdict.kind !== 'valid') throw new Error(`not valid: ${JSON.stringify(verdict)}`)
      return by.settle(proof, { seenAtBlock: verdict.seenAtBlock, store })
    },
    written: (proof, seenAtBlock) => ({
      ...writtenOf(readAuthorization(proof.payload.payload)!, seenAtBlock),
      transactions: stored,
    }),
  }
  return shop
}

export const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function perform(address[] targets, bytes[] calls)',
])

/** The call to the token that uses a payment. Anyone can send it. */
export const usingCall = (proof: PaymentProof): Hex => {
  const { from, to, value, validAfter, validBefore, nonce, signature } = readAuthorization(proof.payload.payload)!
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const
  return encodeFunctionData({ abi: tokenAbi, functionName: 'transferWithAuthorization', args })
}

export const strangerUses = async (shop: Shop, proof: PaymentProof) => {
  const receipt = await sendFromNewAccount(shop.chain.call, { to: usdcToken.address, data: usingCall(proof) })
  if (receipt.status !== '0x1') throw new Error('it was not used')
  return receipt.transactionHash
}

export const newestBlock = async (shop: Shop) => BigInt(String(await shop.chain.call('eth_blockNumber')))

const domain = { name: 'USD Coin', version: '2', chainId: baseChainId, verifyingContract: usdcToken.address }

const field = (type: string) => (name: string) => ({ name, type })
const typed = {
  TransferWithAuthorization: [
    ...['from', 'to'].map(field('address')),
    ...['value', 'validAfter', 'validBefore'].map(field('uint256')),
    { name: 'nonce', type: 'bytes32' },
  ],
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
}

/** Signs what a client would not: different terms, or a nonce that was used before. */
export const signTransfer = (
  wallet: BaseWallet,
  message: Pick<Authorization, 'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce'>,
): Promise<Hex> => {
  const { TransferWithAuthorization } = typed
  const primaryType = 'TransferWithAuthorization'
  return wallet.signTypedData({ domain, types: { TransferWithAuthorization }, primaryType, message })
}

/** The call to the token with which a payer cancels an authorization. */
export async function cancellingCall(wallet: BaseWallet, nonce: Hex): Promise<Hex> {
  const { CancelAuthorization } = typed
  const message = { authorizer: wallet.address, nonce }
  const primaryType = 'CancelAuthorization'
  const signature = await wallet.signTypedData({ domain, types: { CancelAuthorization }, primaryType, message })
  const args = [wallet.address, nonce, signature] as const
  return encodeFunctionData({ abi: tokenAbi, functionName: 'cancelAuthorization', args })
}

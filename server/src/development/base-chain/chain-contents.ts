import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { CallChain } from '../../rails/base/embedded-chain.ts'
import { multicallAddress } from '../../rails/base/multicall-address.ts'
import { developmentUsdcCode, multicallCode } from './contract-code.ts'

/** The first account of every anvil. Its key is public and it has coins for gas. Minting needs no key. */
export const faucet = {
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
} as const

/** The key of the service's account on a development chain. Anvil's own accounts are left to developers. */
export const developmentSettlerKey: `0x${string}` = `0x${bytesToHex(
  keccak_256(utf8ToBytes('Pennypost: who settles on the development chain')),
)}`

const developmentSettler = '0x48A2a2992367dc89Ba6FAf1656eD954847a4d80E'

const plentyOfGas = `0x${(10n ** 21n).toString(16)}`

/** Puts the contracts at their addresses, and gives the service's account coins for gas. */
export async function fillChain(call: CallChain, usdc: string): Promise<void> {
  for (const [address, code] of [
    [usdc, developmentUsdcCode],
    [multicallAddress, multicallCode],
  ] as const) {
    if ((await call('eth_getCode', address, 'latest')) !== code) await call('anvil_setCode', address, code)
  }
  await call('anvil_setBalance', developmentSettler, plentyOfGas)
}

const mintSelector = '40c10f19' // mint(address,uint256)
const word = (hex: string): string => hex.padStart(64, '0')

/** Mints test USDC. Resolves when the transaction is mined. */
export async function mintUsdc(call: CallChain, usdc: string, to: string, amountAtomic: bigint): Promise<string> {
  const data = `0x${mintSelector}${word(to.slice(2).toLowerCase())}${word(amountAtomic.toString(16))}`
  const { transactionHash, status } = await sendFromNewAccount(call, { to: usdc, data })
  if (status !== '0x1') throw new Error('the development chain did not mint')
  return transactionHash
}

export interface DevelopmentReceipt {
  readonly transactionHash: string
  readonly status: string
  readonly contractAddress: string | null
}

const pauseMs = 10
const maxPauses = 1_000

/**
 * Sends a call from a new random account and waits until it is mined. Two parallel calls from one account would get the
 * same nonce, and one of them could wait forever.
 */
export async function sendFromNewAccount(
  call: CallChain,
  transaction: { to?: string; data: string },
): Promise<DevelopmentReceipt> {
  const from = `0x${randomBytes(20).toString('hex')}`
  await call('anvil_setBalance', from, plentyOfGas)
  await call('anvil_impersonateAccount', from)
  const hash = await call('eth_sendTransaction', { from, gas: '0x2dc6c0', ...transaction })
  await call('anvil_stopImpersonatingAccount', from)
  for (let pause = 1; pause <= maxPauses; pause += 1) {
    const receipt = (await call('eth_getTransactionReceipt', hash)) as DevelopmentReceipt | null
    if (receipt) return receipt
    await wait(pauseMs)
  }
  throw new Error('the development chain does not mine')
}

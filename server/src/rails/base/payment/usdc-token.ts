import {
  decodeAbiParameters,
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  isErc6492Signature,
  keccak256,
  parseAbi,
  parseErc6492Signature,
  stringToHex,
  toEventSelector,
} from 'viem/utils'
import { MalformedReply } from '../../node-errors.ts'
import { baseChainId } from '../base-chain-id.ts'
import { multicallAddress } from '../multicall-address.ts'
import type { ChainClient, SendTerms } from '../rpc/chain-client.ts'
import type { ChainLog, Hex } from '../rpc/chain-replies.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import { multicallAbi } from '../smart-wallet.ts'
import type { Authorization, Token } from './facilitator.ts'

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Who pays: a `key`, whose signature the token itself checks; a `contract`, whose code checks it; or one of a known
 * factory, which is deployed with its first payment.
 */
type WalletKind = 'key' | 'contract' | 'deploying'

/**
 * The most gas that one payment may use. We pay for it, and a contract's code decides what checking its signature costs,
 * which may be a lot on purpose. A key takes about 100,000; a contract that checks a passkey without a precompile, and a
 * deployment, stay far below their limits.
 */
export const maxGas: Readonly<Record<WalletKind, bigint>> = { key: 195_000n, contract: 500_000n, deploying: 1_500_000n }

/** The one call that makes a payment. */
export interface TransferCall {
  readonly to: Hex
  readonly data: Hex
  readonly kind: WalletKind
  /** Simulates it as it would be sent. Returns undefined if it succeeds, else the x402 reason why not. */
  simulate(chain: ChainClient, terms: SendTerms): Promise<string | undefined>
}

/** Our own account cannot pay for the gas: the payment may be good. */
class SettlerWithoutGas extends Error {
  override name = 'SettlerWithoutGas'
}

/** Only known factories may deploy: the call is the payer's, but the gas is ours. */
export class FactoryNotAllowed extends Error {
  override name = 'FactoryNotAllowed'
}

/**
 * Builds the call that presents this authorization. A wallet that is not deployed yet is deployed in the same transaction
 * (ERC-6492), so that there is only one transaction to store and nothing can happen in between.
 */
export async function transferCall(
  authorization: Authorization,
  token: Token,
  chain: ChainClient,
  walletFactories: readonly string[],
): Promise<TransferCall> {
  // A key that delegates to code (EIP-7702) counts as a contract: its code checks the signature too.
  const kind = (await chain.code(authorization.from)) === '0x' ? 'key' : 'contract'
  if (!isErc6492Signature(authorization.signature))
    return plainCall(authorization, authorization.signature, token, kind)
  const { address: factory, data, signature } = unwrap(authorization.signature)
  if (!factory || !data || kind === 'contract') return plainCall(authorization, signature, token, kind)
  if (!walletFactories.some((allowed) => allowed.toLowerCase() === factory.toLowerCase())) throw new FactoryNotAllowed()
  return deployingCall({ factory, data }, plainCall(authorization, signature, token, kind))
}

function unwrap(signature: Hex): ReturnType<typeof parseErc6492Signature> {
  try {
    return parseErc6492Signature(signature)
  } catch {
    // It ends like a wrapped signature but cannot be decoded: the token will refuse it.
    return { signature }
  }
}

function plainCall(authorization: Authorization, signature: Hex, token: Token, kind: WalletKind): TransferCall {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const args = [from, to, value, validAfter, validBefore, nonce] as const
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: signature.length === 132 ? [...args, ...inThreeParts(signature)] : [...args, signature],
  })
  return {
    to: token.address,
    data,
    kind,
    simulate: (chain, terms) => reasonUnless(chain.simulate({ to: token.address, data }, terms)),
  }
}

/** Some wallets end a signature with 0 or 1, but the token expects 27 or 28. */
function inThreeParts(signature: Hex): [v: number, r: Hex, s: Hex] {
  const last = Number.parseInt(signature.slice(130), 16)
  return [last < 27 ? last + 27 : last, `0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`]
}

function deployingCall(deployment: { factory: Hex; data: Hex }, transfer: TransferCall): TransferCall {
  const both = (mayTransferFail: boolean) =>
    encodeFunctionData({
      abi: multicallAbi,
      functionName: 'aggregate3',
      args: [
        [
          // The wallet may have been deployed in the meantime. Then this call fails, but the transfer succeeds.
          { target: deployment.factory, allowFailure: true, callData: deployment.data },
          { target: transfer.to, allowFailure: mayTransferFail, callData: transfer.data },
        ],
      ],
    })
  return {
    to: multicallAddress,
    data: both(false),
    kind: 'deploying',
    async simulate(chain, terms) {
      // Multicall returns the reason of a failure only for calls that are allowed to fail.
      const reply = chain.simulate({ to: multicallAddress, data: both(true) }, terms)
      const reason = await reasonUnless(reply)
      if (reason) return reason
      const results = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: await reply })
      const transferred = results[1]
      return transferred?.success ? undefined : reasonOfRevert(transferred?.returnData)
    },
  }
}

/** A transfer, decoded from a call that `transferCall` built. */
export interface ReadTransfer {
  readonly payer: string
  readonly payTo: string
  readonly amountAtomic: bigint
  readonly nonce: Hex
  readonly kind: WalletKind
}

/** Decodes a call that was encoded here. Returns undefined if it does anything else. */
export function readTransferCall(
  { to, data }: { readonly to: Hex; readonly data: Hex },
  token: Token,
  walletFactories: readonly string[],
): ReadTransfer | undefined {
  try {
    if (isSameAddress(to, token.address)) return readTransfer(data, 'contract')
    if (!isSameAddress(to, multicallAddress)) return undefined
    const { functionName, args } = decodeFunctionData({ abi: multicallAbi, data })
    if (functionName !== 'aggregate3') return undefined
    const [deployment, transfer, ...others] = args[0]
    if (!deployment || !transfer || others.length > 0 || transfer.allowFailure) return undefined
    const isKnown = walletFactories.some((factory) => isSameAddress(factory, deployment.target))
    return isKnown && isSameAddress(transfer.target, token.address)
      ? readTransfer(transfer.callData, 'deploying')
      : undefined
  } catch {
    return undefined
  }
}

function readTransfer(data: Hex, kind: WalletKind): ReadTransfer {
  const { args } = decodeFunctionData({ abi: tokenAbi, data })
  const [payer, payTo, amountAtomic, , , nonce] = args
  return { payer, payTo, amountAtomic, nonce: nonce.toLowerCase() as Hex, kind }
}

const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

async function reasonUnless(simulated: Promise<unknown>): Promise<string | undefined> {
  try {
    await simulated
    return undefined
  } catch (error) {
    if (!(error instanceof ChainRefusal)) throw error
    if (/insufficient funds/i.test(error.message)) throw new SettlerWithoutGas(error.message)
    return reasonOfRevert(error.data, error.message)
  }
}

const reasons: readonly [RegExp, string][] = [
  [/authorization is used or canceled/i, 'invalid_exact_evm_nonce_already_used'],
  [/authorization is expired/i, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/authorization is not yet valid/i, 'invalid_exact_evm_payload_authorization_valid_after'],
  [/invalid signature|ECRecover/i, 'invalid_exact_evm_signature'],
  [/exceeds balance/i, 'invalid_exact_evm_insufficient_balance'],
]

export const simulationFailed = 'invalid_exact_evm_transaction_simulation_failed'

/** Translates the token's error to an x402 reason. */
function reasonOfRevert(data: Hex | string | undefined, message = ''): string {
  const said = data?.startsWith('0x08c379a0') ? textOf(data as Hex) : message
  return reasons.find(([words]) => words.test(said))?.[1] ?? simulationFailed
}

function textOf(data: Hex): string {
  try {
    return decodeAbiParameters([{ type: 'string' }], `0x${data.slice(10)}`)[0]
  } catch {
    return ''
  }
}

const abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

const topics = {
  transfer: toEventSelector('Transfer(address,address,uint256)'),
  used: toEventSelector('AuthorizationUsed(address,bytes32)'),
  cancelled: toEventSelector('AuthorizationCanceled(address,bytes32)'),
}

const domainType = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

/** Throws unless the token is deployed and has the domain that wallets sign. (A call to an address without code succeeds too.) */
export async function checkToken(chain: ChainClient, { address, name, version }: Token): Promise<void> {
  const expected = keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }],
      [keccakText(domainType), keccakText(name), keccakText(version), BigInt(baseChainId), address],
    ),
  )
  const found = await chain.read({ to: address, data: encodeFunctionData({ abi, functionName: 'DOMAIN_SEPARATOR' }) })
  if (found !== expected)
    throw new MalformedReply(`USDC_ADDRESS: there is no token with the domain ${name} at ${address}`)
}

const keccakText = (text: string): Hex => keccak256(stringToHex(text))

/** Whether an authorization was used or cancelled, as of this block. */
export async function isSpent(
  chain: ChainClient,
  token: Token,
  { payer, nonce }: { payer: string; nonce: Hex },
  atBlock: bigint,
): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'authorizationState', args: [payer as Hex, nonce] })
  const state = await chain.read({ to: token.address, data }, atBlock)
  if (!/^0x0{63}[01]$/.test(state)) throw new MalformedReply('authorizationState: the result is not a boolean')
  return state.endsWith('1')
}

const addressTopic = (address: string): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** Finds how an authorization was spent. */
export const spentTopics = ({ payer, nonce }: { payer: string; nonce: Hex }) =>
  [[topics.used, topics.cancelled], addressTopic(payer), nonce.toLowerCase() as Hex] as const

export const isCancellation = (log: ChainLog): boolean => log.topics[0] === topics.cancelled

/**
 * Whether these logs of one transaction show this payment. The token logs the use of an authorization and right after it
 * the transfer, so only the next transfer belongs to it. Another transfer in the same transaction may belong to another
 * authorization, which paid for something else.
 */
export function showPayment(
  logs: readonly ChainLog[],
  token: Token,
  { payer, nonce, payTo, amountAtomic }: { payer: string; nonce: Hex; payTo: string; amountAtomic: bigint },
): boolean {
  const isOfToken = (log: ChainLog | undefined) => log?.address === token.address.toLowerCase()
  const used = [topics.used, addressTopic(payer), nonce.toLowerCase()]
  const moved = [topics.transfer, addressTopic(payer), addressTopic(payTo)]
  return logs.some((log, index) => {
    const next = logs[index + 1]
    return (
      isOfToken(log) &&
      used.every((topic, at) => log.topics[at] === topic) &&
      isOfToken(next) &&
      next?.logIndex === log.logIndex + 1 &&
      moved.every((topic, at) => next.topics[at] === topic) &&
      BigInt(next.data) === amountAtomic
    )
  })
}

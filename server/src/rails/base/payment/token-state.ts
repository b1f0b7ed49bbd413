import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, stringToHex, toEventSelector } from 'viem/utils'
import { NodeNonsense } from '../../node-errors.ts'
import { baseChainId } from '../base-chain-id.ts'
import type { ChainLog, Hex } from '../rpc/chain-answers.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { Token } from './authorization.ts'

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

/** Throws unless the token is deployed and signs in the domain that we give to wallets. A call to no contract succeeds too. */
export async function checkToken(chain: ChainClient, { address, name, version }: Token): Promise<void> {
  const expected = keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }],
      [keccakText(domainType), keccakText(name), keccakText(version), BigInt(baseChainId), address],
    ),
  )
  const found = await chain.read({ to: address, data: encodeFunctionData({ abi, functionName: 'DOMAIN_SEPARATOR' }) })
  if (found !== expected) throw new NodeNonsense(`USDC_ADDRESS: at ${address} is no token of the domain ${name}`)
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
  const answer = await chain.read({ to: token.address, data }, atBlock)
  if (!/^0x0{63}[01]$/.test(answer)) throw new NodeNonsense('authorizationState: is neither true nor false')
  return answer.endsWith('1')
}

const addressTopic = (address: string): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** Finds how an authorization was spent. */
export const spentTopics = ({ payer, nonce }: { payer: string; nonce: Hex }) =>
  [[topics.used, topics.cancelled], addressTopic(payer), nonce.toLowerCase() as Hex] as const

export const isCancellation = (log: ChainLog): boolean => log.topics[0] === topics.cancelled

/**
 * Whether these logs of one transaction show this payment. The token logs that an authorization was used, and moves
 * the money right after it: only the next transfer belongs to it. Another transfer in the same transaction may
 * belong to another authorization, which has paid for something else.
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

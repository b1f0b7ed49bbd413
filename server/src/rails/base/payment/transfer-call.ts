import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
} from 'viem/utils'
import { multicallAddress } from '../multicall-address.ts'
import type { Hex } from '../rpc/chain-answers.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import { multicallAbi } from '../smart-wallet.ts'
import type { Authorization, Token } from './authorization.ts'

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * The most gas that one payment may use, because we pay for it: a wallet's code decides what its signature costs, and may
 * be expensive on purpose. Deploying a wallet and checking a passkey without a precompile stay far below.
 */
export const mostGas = 1_500_000n

/** The one call that makes a payment. */
export interface TransferCall {
  readonly to: Hex
  readonly data: Hex
  /** Simulates it with at most this much gas. Undefined: it goes through; otherwise x402's word for why not. */
  simulate(chain: ChainClient, from: string, gas: bigint): Promise<string | undefined>
}

/** Only known factories may deploy: the call is the payer's, but the gas is ours. */
export class FactoryNotAllowed extends Error {
  override name = 'FactoryNotAllowed'
}

/**
 * The call that presents this authorization. A wallet that is not deployed yet is deployed in the same transaction
 * (ERC-6492), so that there is one transaction to write down and nothing can come between.
 */
export async function transferCall(
  authorization: Authorization,
  token: Token,
  chain: ChainClient,
  walletFactories: readonly string[],
): Promise<TransferCall> {
  if (!isErc6492Signature(authorization.signature)) return plainCall(authorization, authorization.signature, token)
  const { address: factory, data, signature } = unwrap(authorization.signature)
  if (!factory || !data || (await chain.code(authorization.from)) !== '0x')
    return plainCall(authorization, signature, token)
  if (!walletFactories.some((allowed) => allowed.toLowerCase() === factory.toLowerCase())) throw new FactoryNotAllowed()
  return deployingCall({ factory, data }, plainCall(authorization, signature, token))
}

function unwrap(signature: Hex): ReturnType<typeof parseErc6492Signature> {
  try {
    return parseErc6492Signature(signature)
  } catch {
    // It ends like a wrapped signature but cannot be decoded: the token will refuse it.
    return { signature }
  }
}

function plainCall(authorization: Authorization, signature: Hex, token: Token): TransferCall {
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
    simulate: (chain, sender, gas) => reasonUnless(chain.simulate({ from: sender, to: token.address, data, gas })),
  }
}

/** Some wallets write the last byte as 0 or 1, where the token expects 27 or 28. */
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
          // It may have been deployed in the meantime: then this call fails and the transfer does not.
          { target: deployment.factory, allowFailure: true, callData: deployment.data },
          { target: transfer.to, allowFailure: mayTransferFail, callData: transfer.data },
        ],
      ],
    })
  return {
    to: multicallAddress,
    data: both(false),
    async simulate(chain, from, gas) {
      // Multicall passes on why a call failed only if the call is allowed to fail.
      const answer = chain.simulate({ from, to: multicallAddress, data: both(true), gas })
      const reason = await reasonUnless(answer)
      if (reason) return reason
      const results = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: await answer })
      const transferred = results[1]
      return transferred?.success ? undefined : reasonOfRevert(transferred?.returnData)
    },
  }
}

async function reasonUnless(simulated: Promise<unknown>): Promise<string | undefined> {
  try {
    await simulated
    return undefined
  } catch (error) {
    if (error instanceof ChainRefusal) return reasonOfRevert(error.data, error.message)
    throw error
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

/** What the token said, in x402's words. */
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

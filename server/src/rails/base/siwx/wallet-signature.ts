import {
  decodeFunctionResult,
  encodeFunctionData,
  hashMessage,
  isErc6492Signature,
  parseErc6492Signature,
} from 'viem/utils'
import { multicallAddress } from '../multicall-address.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { Hex } from '../rpc/chain-replies.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import { isSignedByKey, isValidSignatureCall, multicallAbi, validSignatureMagic } from '../smart-wallet.ts'

export interface SignedMessage {
  readonly address: string
  readonly message: string
  readonly signature: string
}

/** `unavailable`: only a smart wallet could verify it, and no node can be reached. */
export type SignatureVerdict = 'valid' | 'invalid' | 'unavailable'

/**
 * Whether this account signed this text: with its key (EIP-191), or as a smart wallet (ERC-1271), even one
 * that is not deployed yet (ERC-6492). Without a chain only keys can be verified.
 */
export async function verifyWalletMessage(
  { address, message, signature }: SignedMessage,
  chain: ChainClient | undefined,
): Promise<SignatureVerdict> {
  if (await isSignedByKey(address, hashMessage(message), signature as Hex)) return 'valid'
  if (!chain) return 'invalid'
  try {
    return (await walletSays(chain, address as Hex, message, signature as Hex)) === validSignatureMagic
      ? 'valid'
      : 'invalid'
  } catch (error) {
    return error instanceof ChainRefusal ? 'invalid' : 'unavailable'
  }
}

async function walletSays(chain: ChainClient, wallet: Hex, message: string, signature: Hex): Promise<string> {
  const wrapped = isErc6492Signature(signature) ? unwrap(signature) : undefined
  const question = isValidSignatureCall(hashMessage(message), wrapped?.signature ?? signature)
  const isDeployed = (await chain.code(wallet)) !== '0x'
  if (isDeployed) return chain.simulate({ to: wallet, data: question })
  if (!wrapped?.address || !wrapped.data) return 'there is no wallet'
  // Deployed only within this simulation. Any factory is allowed, because a simulation changes nothing and costs nothing.
  const calls = [
    { target: wrapped.address, allowFailure: true, callData: wrapped.data },
    { target: wallet, allowFailure: true, callData: question },
  ]
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [calls] })
  const result = await chain.simulate({ to: multicallAddress, data })
  const verdict = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: result })[1]
  return verdict?.success ? verdict.returnData : 'the wallet returned nothing'
}

function unwrap(signature: Hex): ReturnType<typeof parseErc6492Signature> | undefined {
  try {
    return parseErc6492Signature(signature)
  } catch {
    return undefined
  }
}

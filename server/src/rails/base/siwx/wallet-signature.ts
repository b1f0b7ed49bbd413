import {
  decodeFunctionResult,
  encodeFunctionData,
  hashMessage,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
  recoverMessageAddress,
} from 'viem/utils'
import { multicallAddress } from '../chain/chain-contents.ts'
import type { Hex } from '../rpc/chain-answers.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'

export interface SignedMessage {
  readonly address: string
  readonly message: string
  readonly signature: string
}

/** `unavailable`: a smart wallet would have to be asked, and no node answers. */
export type SignatureVerdict = 'valid' | 'invalid' | 'unavailable'

const walletAbi = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])
const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])
const magic = `0x1626ba7e${'0'.repeat(56)}`

/**
 * Whether this account signed this text: by its key (EIP-191), or as a smart wallet that says so (ERC-1271), also one
 * that is not deployed yet (ERC-6492). Without a chain only keys can be told.
 */
export async function verifyWalletMessage(
  { address, message, signature }: SignedMessage,
  chain: ChainClient | undefined,
): Promise<SignatureVerdict> {
  if (await isSignedByKey(address, message, signature as Hex)) return 'valid'
  if (!chain) return 'invalid'
  try {
    return (await walletSays(chain, address as Hex, message, signature as Hex)) === magic ? 'valid' : 'invalid'
  } catch (error) {
    return error instanceof ChainRefusal ? 'invalid' : 'unavailable'
  }
}

async function isSignedByKey(address: string, message: string, signature: Hex): Promise<boolean> {
  if (signature.length !== 132) return false
  try {
    return (await recoverMessageAddress({ message, signature })).toLowerCase() === address.toLowerCase()
  } catch {
    return false
  }
}

async function walletSays(chain: ChainClient, wallet: Hex, message: string, signature: Hex): Promise<string> {
  const wrapped = isErc6492Signature(signature) ? unwrap(signature) : undefined
  const ask = encodeFunctionData({
    abi: walletAbi,
    functionName: 'isValidSignature',
    args: [hashMessage(message), wrapped?.signature ?? signature],
  })
  const isDeployed = (await chain.code(wallet)) !== '0x'
  if (isDeployed) return chain.simulate({ to: wallet, data: ask })
  if (!wrapped?.address || !wrapped.data) return 'nobody is there'
  // Deployed for the length of this question. Any factory may: nothing comes of it, and nobody pays.
  const calls = [
    { target: wrapped.address, allowFailure: true, callData: wrapped.data },
    { target: wallet, allowFailure: true, callData: ask },
  ]
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [calls] })
  const answer = await chain.simulate({ to: multicallAddress, data })
  const asked = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer })[1]
  return asked?.success ? asked.returnData : 'it did not answer'
}

function unwrap(signature: Hex): ReturnType<typeof parseErc6492Signature> | undefined {
  try {
    return parseErc6492Signature(signature)
  } catch {
    return undefined
  }
}

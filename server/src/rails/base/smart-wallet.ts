import { encodeFunctionData, parseAbi, recoverAddress } from 'viem/utils'
import type { Hex } from './rpc/chain-replies.ts'

// How an account proves that it signed: with its key (ECDSA), or by its code (ERC-1271). Import this only from files that
// are loaded with the first payment or sign-in, because it brings a large library.

const walletAbi = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])

/** The magic value that `isValidSignature` returns for a valid signature (ERC-1271). */
export const validSignatureMagic = `0x1626ba7e${'0'.repeat(56)}`

/** Encodes the call of `isValidSignature` (ERC-1271). */
export const isValidSignatureCall = (digest: Hex, signature: Hex): Hex =>
  encodeFunctionData({ abi: walletAbi, functionName: 'isValidSignature', args: [digest, signature] })

export async function isSignedByKey(address: string, hash: Hex, signature: Hex): Promise<boolean> {
  if (signature.length !== 132) return false
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase() === address.toLowerCase()
  } catch {
    return false
  }
}

/** Several calls in one (Multicall3). */
export const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])

import { hashTypedData } from 'viem/utils'
import { baseChainId } from '../base-chain-id.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { Hex } from '../rpc/chain-replies.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import { isSignedByKey, isValidSignatureCall, validSignatureMagic } from '../smart-wallet.ts'
import type { Authorization, Token } from './facilitator.ts'
import { isSpent } from './usdc-token.ts'

const word = (name: string, type: string) => ({ name, type })
const types = {
  TransferWithAuthorization: [
    ...[word('from', 'address'), word('to', 'address'), word('value', 'uint256')],
    ...[word('validAfter', 'uint256'), word('validBefore', 'uint256'), word('nonce', 'bytes32')],
  ],
}

/**
 * Whether the payer signed this authorization and has not used it: used ones are on the chain, where anyone can copy them.
 * This is for payments that fail for lack of money; in other cases the token checks it. A key's signature is verified here,
 * a smart wallet's by calling the wallet.
 */
export async function isSignedByPayer(
  authorization: Authorization,
  token: Token,
  chain: ChainClient,
): Promise<boolean> {
  const { signature, ...message } = authorization
  const { from, nonce } = message
  const { number } = await chain.newestBlock()
  if (await isSpent(chain, token, { payer: from, nonce }, number)) return false
  const { name, version, address: verifyingContract } = token
  const domain = { name, version, chainId: baseChainId, verifyingContract }
  const digest = hashTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message })
  return (await isSignedByKey(from, digest, signature)) || walletSaysSo(chain, from, digest, signature)
}

async function walletSaysSo(chain: ChainClient, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const data = isValidSignatureCall(digest, signature)
  try {
    return (await chain.code(wallet)) !== '0x' && (await chain.simulate({ to: wallet, data })) === validSignatureMagic
  } catch (error) {
    if (error instanceof ChainRefusal) return false
    throw error
  }
}

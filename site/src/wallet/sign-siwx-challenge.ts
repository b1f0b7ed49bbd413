import { keccak_256 } from '@noble/hashes/sha3.js'
import { toHex } from '../to-hex.ts'
import type { BrowserWallet } from './browser-wallet.ts'
import { base64Json } from './sign-usdc-payment.ts'

// Sign-In-With-X (CAIP-122), as the challenge in a 402 response requests it.

interface ReadChallenge {
  readonly domain: string
  readonly uri: string
  readonly version: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string
  readonly statement: string
}

const chainId = 'eip155:8453'

/** Signs the challenge and returns the value of the `SIGN-IN-WITH-X` header. Signing is free and sends no transaction. */
export async function signSiwxChallenge(wallet: BrowserWallet, account: string, info: ReadChallenge): Promise<string> {
  const address = withChecksum(account)
  const signature = await wallet.signText(account, challengeText(info, address))
  return base64Json({ ...info, chainId, address, type: 'eip191', signature })
}

/** The message of EIP-4361. */
const challengeText = (info: ReadChallenge, address: string): string =>
  [
    `${info.domain} wants you to sign in with your Ethereum account:`,
    ...[address, '', info.statement, ''],
    `URI: ${info.uri}`,
    `Version: ${info.version}`,
    `Chain ID: ${chainId.split(':')[1]}`,
    `Nonce: ${info.nonce}`,
    `Issued At: ${info.issuedAt}`,
    `Expiration Time: ${info.expirationTime}`,
  ].join('\n')

/** EIP-55: the message needs the mixed-case checksum, but many wallets return the address in lower case. */
function withChecksum(address: string): string {
  const lower = address.slice(2).toLowerCase()
  const hash = toHex(keccak_256(new TextEncoder().encode(lower)))
  return `0x${[...lower].map((digit, index) => (Number.parseInt(hash[index]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

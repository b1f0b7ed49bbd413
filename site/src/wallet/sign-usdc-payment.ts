import type { Checkout } from '@pennypost/contract/checkout'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import { toHex } from '../to-hex.ts'
import type { BrowserWallet } from './browser-wallet.ts'

// A payment in USDC is a signature: it lets the token move so much, to this address, once, for a while (EIP-3009). The
// service hands it in and pays for the gas.

const fields = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
}

/** The `PAYMENT-SIGNATURE` of what is asked for. It is void when the quote is. */
export async function signUsdcPayment(
  wallet: BrowserWallet,
  from: string,
  accepted: PaymentRequirements,
  { expiresAt }: Pick<Checkout, 'expiresAt'>,
): Promise<string> {
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    // By the service's clock, not this one's, which may be minutes wrong.
    validBefore: String(Math.floor(Date.parse(expiresAt) / 1000)),
    nonce: `0x${toHex(crypto.getRandomValues(new Uint8Array(32)))}`,
  }
  const signature = await wallet.signTypedData(from, {
    types: fields,
    primaryType: 'TransferWithAuthorization',
    domain: {
      name: accepted.extra.name,
      version: accepted.extra.version,
      chainId: Number(accepted.network.split(':')[1]),
      verifyingContract: accepted.asset,
    },
    message: authorization,
  })
  return base64Json({ x402Version: 2, accepted, payload: { signature, authorization } })
}

export const base64Json = (value: object): string => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

import type { UsdcCheckout } from '@pennypost/contract/checkout'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import { toHex } from '../to-hex.ts'
import type { BrowserWallet } from './browser-wallet.ts'

// A USDC payment is a signature (EIP-3009): it authorises one transfer of an exact amount to one address for a limited
// time. The service submits it and pays for the gas.

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

/** Signs a payment and returns the value of the `PAYMENT-SIGNATURE` header. It expires with the checkout's offer. */
export async function signUsdcPayment(
  wallet: BrowserWallet,
  from: string,
  accepted: PaymentRequirements,
  { expiresAt }: Pick<UsdcCheckout, 'expiresAt'>,
): Promise<string> {
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    // The service's clock counts; this device's may be minutes wrong.
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

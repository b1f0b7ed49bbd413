import type { Asset } from '../amounts.ts'
import { PennypostError } from '../errors.ts'
import type { PaymentRequirements } from '../generated/types.ts'
import type { Signers } from './signers.ts'

/** USDC on Base. The limit of a payment would mean nothing in another token. */
export const usdcOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const networkOf: Readonly<Record<Asset, PaymentRequirements['network']>> = {
  XNO: 'nano:mainnet',
  USDC: 'eip155:8453',
}

// An authorization can be used until then, so it should not be long.
const maxValiditySeconds = 600
// Clocks differ. The stock clients of x402 allow the same.
const clockToleranceSeconds = 600

/** The offer in this currency that we know how to pay, if there is one. */
export function offerIn(
  asset: Asset,
  accepts: readonly PaymentRequirements[],
  usdcAddress: string,
): PaymentRequirements | undefined {
  const token = asset === 'XNO' ? 'XNO' : usdcAddress
  return accepts.find(
    (offer) =>
      offer?.scheme === 'exact' &&
      offer.network === networkOf[asset] &&
      String(offer.asset).toLowerCase() === token.toLowerCase() &&
      typeof offer.amount === 'string' &&
      /^[1-9]\d{0,77}$/.test(offer.amount) &&
      typeof offer.payTo === 'string',
  )
}

/** The value of `PAYMENT-SIGNATURE`: the offer, and what the signer signed for it. */
export async function signPayment(asset: Asset, offer: PaymentRequirements, signers: Signers): Promise<string> {
  const payload = asset === 'XNO' ? await signNano(offer, signers) : await signUsdc(offer, signers)
  return base64Of({ x402Version: 2, payload, accepted: offer })
}

/** Who pays with this currency. */
export const payerOf = (asset: Asset, { nano, usdc }: Signers): string | undefined =>
  (asset === 'XNO' ? nano : usdc)?.address

async function signNano({ payTo, amount }: PaymentRequirements, { nano }: Signers) {
  const block = await nano!.signSend({ to: payTo, amountRaw: amount })
  if (block.type !== 'state' || !block.signature) {
    const detail = 'The Nano signer did not return a signed state block.'
    throw new PennypostError({ code: 'no-way-to-pay', detail })
  }
  return { block }
}

async function signUsdc(offer: PaymentRequirements, { usdc }: Signers) {
  const { address, signTypedData } = { address: usdc!.address, signTypedData: usdc!.signTypedData.bind(usdc) }
  const now = Math.floor(Date.now() / 1000)
  const nonce = `0x${hexOf(crypto.getRandomValues(new Uint8Array(32)))}`
  const authorization = {
    from: address,
    to: offer.payTo,
    value: offer.amount,
    validAfter: String(now - clockToleranceSeconds),
    validBefore: String(now + Math.min(offer.maxTimeoutSeconds, maxValiditySeconds)),
    nonce,
  }
  const { value, validAfter, validBefore } = authorization
  const signature = await signTypedData({
    // Fixed, and not taken from the offer: a signature for another contract could move other money.
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: offer.asset },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  })
  return { authorization, signature }
}

const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
]

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Base64 of the JSON of a value, also for text beyond Latin letters. */
function base64Of(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** The value of a header that is base64 of JSON, or undefined if it is missing or damaged. */
export function jsonOfHeader<Value>(text: string | null): Value | undefined {
  if (text === null) return undefined
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes)) as Value
  } catch {
    return undefined
  }
}

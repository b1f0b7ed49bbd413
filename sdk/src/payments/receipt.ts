import type { Caller } from '../caller.ts'

/** The contents of a receipt, as the service signed them. */
export interface Receipt {
  readonly resourceUrl: string
  readonly network: string
  readonly payer: string
  readonly transaction: string
  /** Unix seconds. */
  readonly issuedAt: number
}

export interface VerifiedReceipt extends Receipt {
  /** Whether the signature is by the key that the service publishes, and the receipt is of this service. */
  readonly isVerified: boolean
  /** Why it could not be verified. */
  readonly problem: string | undefined
  /** The receipt as it was signed, a JWS. Keep it: anyone can verify it. */
  readonly jws: string
}

/** The receipt in a `PAYMENT-RESPONSE` header, or in the `receipt` of a checkout. */
export interface ReceiptSource {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

interface SignedReceipt {
  readonly info?: { readonly receipt?: { readonly signature?: unknown } }
}

interface DidDocument {
  readonly verificationMethod?: readonly { readonly id: string; readonly publicKeyJwk: JsonWebKeyOfReceipts }[]
}

interface JsonWebKeyOfReceipts {
  readonly kty?: string
  readonly crv?: string
  readonly x?: string
}

export function jwsOf(source: ReceiptSource | undefined): string | undefined {
  const signature = (source?.extensions?.['offer-receipt'] as SignedReceipt | undefined)?.info?.receipt?.signature
  return typeof signature === 'string' ? signature : undefined
}

/**
 * Checks a receipt with the key at `/.well-known/did.json`. Never throws for a bad receipt: the money was paid anyway, and
 * `problem` says what is wrong.
 */
export async function verifyReceipt(
  jws: string,
  { caller, baseUrl }: { readonly caller: Caller; readonly baseUrl: string },
  payment?: Pick<Receipt, 'payer' | 'transaction'>,
): Promise<VerifiedReceipt> {
  const [header, payload, signature] = jws.split('.')
  const head = parse<{ alg?: string; kid?: string }>(header)
  const receipt = parse<Receipt>(payload)
  const result = (problem: string | undefined): VerifiedReceipt => ({
    resourceUrl: String(receipt?.resourceUrl),
    network: String(receipt?.network),
    payer: String(receipt?.payer),
    transaction: String(receipt?.transaction),
    issuedAt: Number(receipt?.issuedAt),
    isVerified: problem === undefined,
    problem,
    jws,
  })
  if (!head || !receipt || signature === undefined) return result('It is not a receipt.')
  if (head.alg !== 'EdDSA') return result(`Its algorithm is ${head.alg}.`)
  if (originOf(receipt.resourceUrl) !== new URL(baseUrl).origin) return result('It is of another service.')
  if (payment && !isOf(payment, receipt)) return result('It is of another payment.')
  const { body } = await caller.call('getDidDocument')
  const key = (body as DidDocument).verificationMethod?.find(({ id }) => id === head.kid)?.publicKeyJwk
  if (key?.kty !== 'OKP' || key.crv !== 'Ed25519' || key.x === undefined)
    return result('The service does not publish the key that it names.')
  const isGenuine = await verifies(key, `${header}.${payload}`, signature)
  if (isGenuine === undefined) return result('This program cannot check Ed25519 signatures.')
  return result(isGenuine ? undefined : 'The signature is wrong.')
}

/** Addresses and hashes may be spelled in upper or lower case. */
const isOf = (payment: Pick<Receipt, 'payer' | 'transaction'>, receipt: Receipt): boolean =>
  payment.payer.toLowerCase() === String(receipt.payer).toLowerCase() &&
  payment.transaction.toLowerCase() === String(receipt.transaction).toLowerCase()

/** Whether the signature is right, or undefined where Web Crypto has no Ed25519. */
async function verifies({ kty, crv, x }: JsonWebKeyOfReceipts, text: string, signature: string) {
  try {
    const jwk = { kty: kty!, crv: crv!, x: x! }
    const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, bytesOf(signature), new TextEncoder().encode(text))
  } catch (error) {
    if ((error as Error).name === 'NotSupportedError') return undefined
    return false
  }
}

const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

function parse<Value>(part: string | undefined): Value | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytesOf(part!))) as Value
  } catch {
    return undefined
  }
}

function originOf(url: unknown): string | undefined {
  try {
    return new URL(String(url)).origin
  } catch {
    return undefined
  }
}

import { z } from 'zod'
import { parseBaseAddress } from '../parse-base-address.ts'

// Sign-In-With-X (CAIP-122) for accounts on Base: the text of EIP-4361, as wallets show it.

// A line break in a field could fake another line.
const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x20-\x7e]*$/)
const Stamp = z.iso.datetime({ offset: true }).max(40)

/** The fields that are signed, without the account. */
export const SiwxInfo = z.object({
  domain: line(255).min(1),
  uri: line(2_048).min(1),
  version: z.literal('1'),
  chainId: z.string().regex(/^eip155:[1-9]\d{0,14}$/),
  nonce: z.string().regex(/^[a-zA-Z0-9]{8,128}$/),
  issuedAt: Stamp,
  expirationTime: Stamp.optional(),
  notBefore: Stamp.optional(),
  requestId: line(256).optional(),
  statement: line(512).min(1).optional(),
  resources: z.array(line(2_048)).max(10).optional(),
})
export type SiwxInfo = z.infer<typeof SiwxInfo>

/** The text that a wallet signs. */
export function siwxMessage(info: SiwxInfo, address: string): string {
  const fields = [
    `URI: ${info.uri}`,
    `Version: ${info.version}`,
    `Chain ID: ${info.chainId.slice('eip155:'.length)}`,
    `Nonce: ${info.nonce}`,
    `Issued At: ${info.issuedAt}`,
    ...(info.expirationTime === undefined ? [] : [`Expiration Time: ${info.expirationTime}`]),
    ...(info.notBefore === undefined ? [] : [`Not Before: ${info.notBefore}`]),
    ...(info.requestId === undefined ? [] : [`Request ID: ${info.requestId}`]),
    ...(info.resources === undefined ? [] : ['Resources:', ...info.resources.map((resource) => `- ${resource}`)]),
  ]
  // Without a statement there are two empty lines.
  const statement = info.statement === undefined ? [''] : [info.statement, '']
  const head = [`${info.domain} wants you to sign in with your Ethereum account:`, address, '']
  return [...head, ...statement, ...fields].join('\n')
}

/** The proof that the x402 extension sends in `SIGN-IN-WITH-X`. */
const SiwxProof = SiwxInfo.extend({
  address: z.string().transform((text, context) => {
    const address = parseBaseAddress(text)
    if (address) return address
    context.addIssue({ code: 'custom', message: 'is not an address' })
    return z.NEVER
  }),
  type: z.literal('eip191'),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){1,8192}$/),
})
export type SiwxProof = z.infer<typeof SiwxProof>

const maxHeaderLength = 24_576

/** Reads the proof in a header, without verifying it. Returns undefined if it is malformed. */
export function readSiwxHeader(header: string): SiwxProof | undefined {
  if (header.length > maxHeaderLength || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return undefined
  try {
    return SiwxProof.safeParse(JSON.parse(Buffer.from(header, 'base64').toString('utf8'))).data
  } catch {
    return undefined
  }
}

export interface SiwxExpectation {
  /** From the configuration, never from the request. */
  readonly domain: string
  readonly uri: string
  readonly chainIds: readonly string[]
  readonly now: Date
}

// Readers' clocks may be wrong by minutes.
const skewMs = 5 * 60_000
const maxLifeMs = 60 * 60_000

/**
 * Returns what is wrong with a signed message, or undefined. The caller checks that we issued the nonce and that it is
 * unused; `verifyMessage` checks the signature.
 */
export function siwxFault(info: SiwxInfo, expected: SiwxExpectation): string | undefined {
  const now = expected.now.getTime()
  const at = (stamp: string) => new Date(stamp).getTime()
  if (info.domain !== expected.domain) return 'domain'
  if (info.uri !== expected.uri) return 'uri'
  if (!expected.chainIds.includes(info.chainId)) return 'chainId'
  if (at(info.issuedAt) > now + skewMs || at(info.issuedAt) < now - maxLifeMs) return 'issuedAt'
  if (info.expirationTime !== undefined && at(info.expirationTime) <= now) return 'expirationTime'
  if (info.notBefore !== undefined && at(info.notBefore) > now) return 'notBefore'
  return undefined
}

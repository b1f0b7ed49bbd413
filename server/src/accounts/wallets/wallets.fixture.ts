import { randomBytes } from 'node:crypto'
import { startNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import { nanoAddress } from '@pennypost/nano/address'
import { upperHex } from '@pennypost/nano/hex'
import { publicKeyOf, signBytes } from '@pennypost/nano/keys'
import { type MessageForm, signMessage } from '@pennypost/nano/message'
import { nextAddress, Person } from '../../test/person.ts'
import type { World } from '../../test/world.ts'

/** A Nano account that can sign messages. */
export interface SigningWallet {
  readonly address: string
  signs(message: string, form?: MessageForm): string
  /** The body that a wallet posts after opening a `nanoauth:` link. */
  signsLink(uri: string, atUnixSeconds: number): SignedLink
}

export interface SignedLink {
  readonly account: string
  readonly signature: string
  readonly signed: string
  readonly formatted: string
  readonly message: string
  readonly label: string
}

export function signingWallet(secretKey: Uint8Array = randomBytes(32)): SigningWallet {
  const address = nanoAddress(publicKeyOf(secretKey))
  return {
    address,
    signs: (message, form = 'noms') => signMessage(message, form, secretKey),
    signsLink(uri, atUnixSeconds) {
      const request = readLink(uri)
      const fields = { ...request, timestamp: atUnixSeconds }
      const formatted = request.format.map((field) => fields[field as keyof AuthLink]).join(request.separator)
      const bytes = Buffer.from(formatted)
      const signature = upperHex(signBytes(bytes, secretKey))
      const { message, label } = request
      return { account: address, signature, signed: bytes.toString('hex'), formatted, message, label }
    },
  }
}

export interface AuthLink {
  readonly account: string
  readonly nonce: string
  readonly label: string
  readonly message: string
  readonly timestamp: number
  readonly format: string[]
  readonly separator: string
  readonly methods: { readonly type: string; readonly url: string }[]
}

export const readLink = (uri: string): AuthLink =>
  JSON.parse(Buffer.from(uri.replace('nanoauth:', ''), 'base64url').toString())

/** Starts a challenge and returns the reply. */
export async function challengeFor(person: Person, account: string) {
  const { status, body } = await person.calls(startNanoChallenge, { body: { account } })
  if (status !== 201) throw new Error(`challenge refused: ${JSON.stringify(body)}`)
  return body as { challengeId: string; message: string; uri: string; statusUrl: string; pollSecret: string }
}

/** Signs a new person in with a wallet. */
export async function signInByWallet(world: World, wallet: SigningWallet) {
  const person = new Person(world, nextAddress())
  const { challengeId, message } = await challengeFor(person, wallet.address)
  const { status, body } = await person.calls(verifyNanoChallenge, {
    body: { challengeId, account: wallet.address, signature: wallet.signs(message) },
  })
  if (status !== 200) throw new Error(`sign-in refused: ${JSON.stringify(body)}`)
  person.token = body.accessToken
  return { person, accountId: body.session.user.id as string, created: body.session.created as boolean, pair: body }
}

/** Links another wallet to this owner's account. */
export async function links(owner: Person, wallet: SigningWallet) {
  const { challengeId, message } = await challengeFor(owner, wallet.address)
  return owner.calls(linkWallet, {
    body: { challengeId, account: wallet.address, signature: wallet.signs(message) },
  })
}

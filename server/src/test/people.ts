import { randomUUID } from 'node:crypto'
import { issueRegistrationKey, startRegistration, verifyRegistration } from '@pennypost/contract/registrations'
import type { TokenPair } from '@pennypost/contract/sessions'
import { nextAddress, Person, type World } from './world.ts'

/** A person with an account. */
export interface Reader {
  readonly accountId: string
  readonly email: string
  readonly handle: string
  /** Sends requests with the owner session. */
  readonly owner: Person
  readonly registrationId: string
  readonly pair: TokenPair
}

/** A reader who also publishes. */
export interface Creator extends Reader {
  /** Sends requests with the publishing key. */
  readonly publisher: Person
  readonly keyId: string
}

export interface PersonOptions {
  readonly email?: string
  readonly name?: string
  readonly handle?: string
}

let people = 0

/** Registers through the API: starts a registration, reads the email and enters the code. */
export async function registerReader(world: World, wish: PersonOptions = {}): Promise<Reader> {
  people += 1
  const stranger = new Person(world, nextAddress())
  const email = wish.email ?? `person${people}-${randomUUID().slice(0, 8)}@example.com`
  const handle = wish.handle ?? `person_${people}_${randomUUID().slice(0, 4)}`
  const registrationId = randomUUID()
  const started = await stranger.calls(startRegistration, {
    idempotencyKey: registrationId,
    body: { email, name: wish.name ?? `Person ${people}`, handle, acceptedTerms: true },
  })
  if (started.status !== 202) throw new Error(`registration refused: ${JSON.stringify(started.body)}`)
  await world.runJobs()
  const [mail] = await world.mailTo(email)
  const verified = await stranger.calls(verifyRegistration, {
    params: { registrationId },
    body: { code: mail?.code ?? '' },
  })
  if (verified.status !== 200) throw new Error(`verification refused: ${JSON.stringify(verified.body)}`)
  const pair: TokenPair = verified.body
  const accountId = JSON.parse(Buffer.from(pair.accessToken.split('.')[1]!, 'base64url').toString()).sub
  return { accountId, email, handle, registrationId, pair, owner: new Person(world, nextAddress(), pair.accessToken) }
}

export async function registerCreator(world: World, wish: PersonOptions = {}): Promise<Creator> {
  const reader = await registerReader(world, wish)
  const issued = await reader.owner.calls(issueRegistrationKey, {
    params: { registrationId: reader.registrationId },
    body: {},
  })
  if (issued.status !== 201) throw new Error(`key refused: ${JSON.stringify(issued.body)}`)
  return { ...reader, keyId: issued.body.apiKey.keyId, publisher: new Person(world, nextAddress(), issued.body.key) }
}

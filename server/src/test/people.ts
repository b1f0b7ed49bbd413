import { randomUUID } from 'node:crypto'
import type { TokenPair } from '@pennypost/contract/sessions'
import { createAccount } from '../accounts/account-store.ts'
import { addKey } from '../accounts/key-store.ts'
import { expiryOf } from '../accounts/key-view.ts'
import { randomSecret, writeKey } from '../accounts/publishing-key.ts'
import { startSession } from '../accounts/session-store.ts'
import { type Host, nextAddress, Person } from './person.ts'

/** A person with an account. */
export interface Reader {
  readonly accountId: string
  readonly email: string
  readonly handle: string
  /** Sends requests with the owner session. */
  readonly owner: Person
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

/**
 * Creates an account with a session, by the functions that a registration calls. Most tests need people, and
 * registering each one by email took a sixth of their time; `accounts/registration.test.ts` tests that.
 */
export async function createReader(world: Host, options: PersonOptions = {}): Promise<Reader> {
  people += 1
  const { db, clock, tokens } = world.services
  const now = clock.now()
  const email = options.email ?? `person${people}-${randomUUID().slice(0, 8)}@example.com`
  const handle = options.handle ?? `person_${people}_${randomUUID().slice(0, 4)}`
  const name = options.name ?? `Person ${people}`
  const session = await db.transaction().execute(async (tx) => {
    const account = await createAccount(tx, { email, name, handle, isAnonymous: false, now })
    if (account?.handle !== handle) throw new Error(`another account has the email ${email} or the handle ${handle}`)
    return startSession(tx, account.id, 'email', { userAgent: undefined }, now)
  })
  const pair = await tokens.pair(session)
  const owner = new Person(world, nextAddress(), pair.accessToken)
  return { accountId: session.account_id, email, handle, pair, owner }
}

export async function createCreator(world: Host, options: PersonOptions = {}): Promise<Creator> {
  const reader = await createReader(world, options)
  const { db, clock } = world.services
  const now = clock.now()
  const secret = randomSecret()
  const key = await db.transaction().execute((tx) =>
    addKey(tx, {
      accountId: reader.accountId,
      label: null,
      expiresAt: expiryOf(undefined, now),
      secretOf: () => secret,
      now,
    }),
  )
  return { ...reader, keyId: key.key_id, publisher: new Person(world, nextAddress(), writeKey(key.key_id, secret)) }
}

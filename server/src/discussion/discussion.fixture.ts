import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { addComment } from '@pennypost/contract/comments'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { payable, publish, wholePost } from '../posts/posts.fixture.ts'
import type { Creator, Reader } from '../test/people.ts'
import { type OpenWorldOptions, openWorld, type World } from '../test/world.ts'

export const publishes = async (author: Creator, input: object = {}): Promise<string> =>
  (await publish(author, { ...wholePost, ...input })).id

/** A world with a published post, its author and a reader. Waiting notifications are sent before the world closes. */
export async function discussionIn(t: TestContext, options: OpenWorldOptions = {}) {
  let world: World | undefined
  t.after(() => world?.runJobs())
  world = await openWorld(t, options)
  const author = await payable(await world.creator())
  const postId = await publishes(author)
  return { world, author, postId, reader: await world.reader() }
}

/** Sends a comment with any body, valid or not, and returns the response. */
export const says = (person: Reader, postId: string, body: unknown, idempotencyKey: string = randomUUID()) =>
  person.owner.sends(addComment, { params: { postId }, body, idempotencyKey })

/** Adds a comment and returns it. Fails if it was refused. */
export async function comments(person: Reader, postId: string, content: string, more: object = {}) {
  const { status, body } = await says(person, postId, { content, ...more })
  equal(status, 201, JSON.stringify(body))
  return body
}

export async function administrator(world: World): Promise<Reader> {
  const admin = await world.reader()
  const { status } = await world.stranger().calls(makeAdmin, { body: { profileId: admin.accountId } })
  equal(status, 200)
  return admin
}

/** Writes what a sale to an account writes, without a payment. */
export const bought = (world: World, { accountId }: Reader, postId: string) =>
  world.services.db
    .insertInto('entitlements')
    .values({ account_id: accountId, post_id: postId, source: 'purchase', order_id: null, granted_at: new Date(0) })
    .execute()

/** Writes what a sale to a wallet linked to this account writes, without a payment. */
export async function boughtByWallet(world: World, { accountId }: Reader, postId: string): Promise<void> {
  const { db } = world.services
  const address = `0x${randomUUID()}`
  await db
    .insertInto('wallets')
    .values({ kind: 'evm', address, account_id: accountId, linked_at: new Date(0) })
    .execute()
  await db
    .insertInto('wallet_entitlements')
    .values({ network: 'eip155:8453', wallet: address, post_id: postId, source: 'x402', granted_at: new Date(0) })
    .execute()
}

import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { addComment } from '@pennypost/contract/comments'
import { makeAdministrator } from '@pennypost/contract/dev'
import { createPost, publishPost } from '@pennypost/contract/posts'
import { savePayoutAddress } from '@pennypost/contract/profiles'
import type { Creator, Reader } from '../test/people.ts'
import { createWorld, type World, type WorldOptions } from '../test/world.ts'

const whole = {
  title: 'On engines',
  freeContentMarkdown: 'Free',
  enablePaywall: false,
  category: 'technology',
  language: 'en',
  creationMethod: 'human' as const,
  creationAttested: true,
}

export async function publishes(author: Creator, input: object = {}): Promise<string> {
  const { body: draft } = await author.publisher.sends(createPost, { body: { ...whole, ...input } })
  const { body, status } = await author.publisher.calls(publishPost, { params: { postId: draft.id } })
  equal(status, 200, JSON.stringify(body))
  return body.id
}

/** A world with a published Post, its author and a reader. What was said is told before the world ends. */
export async function discussionIn(t: TestContext, options: WorldOptions = {}) {
  let world: World | undefined
  t.after(() => world?.settle())
  world = await createWorld(t, options)
  const author = await world.creator()
  const payoutAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress } })
  const postId = await publishes(author)
  return { world, author, postId, reader: await world.reader() }
}

/** Says something as the types would not let one say it, and returns the answer. */
export const says = (person: Reader, postId: string, body: unknown, idempotencyKey: string = randomUUID()) =>
  person.owner.sends(addComment, { params: { postId }, body, idempotencyKey })

/** Comments, and returns the Comment. */
export async function comments(person: Reader, postId: string, content: string, more: object = {}) {
  const { status, body } = await says(person, postId, { content, ...more })
  equal(status, 201, JSON.stringify(body))
  return body
}

export async function administrator(world: World): Promise<Reader> {
  const admin = await world.reader()
  const { status } = await world.stranger().calls(makeAdministrator, { body: { profileId: admin.accountId } })
  equal(status, 200)
  return admin
}

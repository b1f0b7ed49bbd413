import type { TestContext } from 'node:test'
import { paidPost, payable, publish } from '../posts/posts.fixture.ts'
import type { Creator, PersonOptions } from '../test/people.ts'
import { type OpenWorldOptions, openWorld, type World } from '../test/world.ts'

/** A paid post with all its fields. */
export const whole = {
  ...paidPost,
  freeContentMarkdown: '# Free\n\nHello   **world** <script>alert(1)</script>',
  paidContentMarkdown: 'the-secret-part',
  creationMethod: 'ai_assisted' as const,
  creationDetails: 'Spelling',
}

export async function authorIn(t: TestContext, wish: PersonOptions = {}, options: OpenWorldOptions = {}) {
  const world: World = await openWorld(t, options)
  const author = await payable(await world.creator(wish))
  return { world, author, reader: world.stranger() }
}

export const publishes = (author: Creator, input: object = {}) => publish(author, { ...whole, ...input })

import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { deleteComment } from '@pennypost/contract/comments'
import fc from 'fast-check'
import type { Reader } from '../test/people.ts'
import { listCandidates } from './candidate-store.ts'
import { comments, discussionIn, publishes } from './discussion.fixture.ts'

interface Said {
  readonly id: string
  readonly author: number
  readonly target: Said | undefined
  readonly mentioned: readonly number[]
  isDeleted: boolean
}

const person = fc.nat({ max: 3 })
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ who: person, repliesTo: fc.option(fc.nat()), mentions: fc.uniqueArray(person) }),
  },
  { weight: 1, arbitrary: fc.record({ deletes: fc.nat() }) },
)

test('for any discussion, the SQL finds the same candidates and reasons as the rule in TypeScript', async (t) => {
  const { author, reader, world } = await discussionIn(t)
  // The first person is the author of all posts.
  const people: Reader[] = [author, reader, await world.reader(), await world.reader()]
  const idOf = (index: number) => people[index]!.accountId

  /** The same rule in TypeScript, applied to all comments in order. */
  const expected = (all: readonly Said[], comment: Said) => {
    const before = all.slice(0, all.indexOf(comment))
    const reasonsOf = (index: number) => [
      ...(index === 0 ? ['author'] : []),
      ...(comment.mentioned.includes(index) ? ['mention'] : []),
      ...(comment.target?.author === index ? ['reply'] : []),
      ...(before.some((said) => said.author === index) && all.some((said) => said.author === index && !said.isDeleted)
        ? ['watcher']
        : []),
    ]
    return people
      .map((_, index) => [idOf(index), reasonsOf(index)] as const)
      .filter(([id, reasons]) => id !== idOf(comment.author) && reasons.length > 0)
      .sort()
  }

  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 7 }), async (acts) => {
      const postId = await publishes(author)
      const all: Said[] = []
      for (const step of acts) {
        const living = all.filter(({ isDeleted }) => !isDeleted)
        if ('deletes' in step) {
          const victim = living[step.deletes % Math.max(living.length, 1)]
          if (!victim) continue
          await author.owner.calls(deleteComment, { params: { commentId: victim.id } })
          victim.isDeleted = true
          continue
        }
        const target = step.repliesTo === null ? undefined : living[step.repliesTo % Math.max(living.length, 1)]
        const mentions = step.mentions.map((index) => ({ profileId: idOf(index), handle: people[index]!.handle }))
        const content = `x ${mentions.map(({ handle }) => `@${handle}`).join(' ')}`
        const { id } = await comments(people[step.who]!, postId, content, {
          mentions,
          parentCommentId: target?.id ?? null,
        })
        all.push({ id, author: step.who, target, mentioned: step.mentions, isDeleted: false })
      }
      for (const comment of all) {
        const found = await world.services.db.transaction().execute((tx) => listCandidates(tx, comment.id, null, 200))
        deepEqual(found.map(({ recipientId, reasons }) => [recipientId, reasons.sort()]).sort(), expected(all, comment))
      }
      await world.runJobs()
    }),
    { numRuns: 15 },
  )
})

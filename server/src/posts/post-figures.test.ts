import { deepEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sharedWorld } from '../test/world.ts'
import { figuresOfPosts } from './post-figures.ts'

test('a post that was deleted since its author listed it has figures of nothing', async (t) => {
  const { db } = (await sharedWorld(t)).services
  const deleted = randomUUID()
  const nothing = { id: deleted, reader_count: 0, paywall_views: 0, sales_count: 0, comment_count: 0 }
  deepEqual(await figuresOfPosts(db, [deleted]), new Map([[deleted, nothing]]))
})

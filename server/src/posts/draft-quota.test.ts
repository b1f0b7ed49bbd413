import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createPost, deletePost, updatePost } from '@pennypost/contract/posts'
import type { Person } from '../test/person.ts'
import { createWorld } from '../test/world.ts'

const settings = { DRAFTS_PER_ACCOUNT: '3', DRAFT_BYTES_PER_ACCOUNT: '1000' }

const create = (person: Person, freeContentMarkdown = 'Hello') =>
  person.calls(createPost, { body: { title: 'Draft', freeContentMarkdown } })

test('an account has room for a number of drafts, also if they come at the same moment', async (t) => {
  const world = await createWorld(t, { settings })
  const { publisher } = await world.creator()
  const sent = await Promise.all(Array.from({ length: 8 }, () => create(publisher)))
  const created = sent.filter(({ status }) => status === 201)
  equal(created.length, 3)
  const refused = sent.find(({ status }) => status !== 201)!
  deepEqual(
    [refused.status, refused.body.code, refused.body.maxDrafts, refused.body.maxDraftBytes],
    [409, 'draft-quota', 3, 1000],
  )
  const [{ id, updatedAt }] = created.map(({ body }) => body) as [{ id: string; updatedAt: string }]
  const headers = { 'x-post-revision': updatedAt }
  equal((await publisher.calls(deletePost, { params: { postId: id }, headers })).status, 200)
  equal((await create(publisher)).status, 201)
  // Others have room of their own.
  equal((await create((await world.creator()).publisher)).status, 201)
})

test('the bytes of all drafts are bounded; shortening one is always possible', async (t) => {
  const world = await createWorld(t, { settings })
  const { publisher, accountId } = await world.creator()
  const post = (await create(publisher, 'é'.repeat(300))).body
  equal((await create(publisher, 'a'.repeat(401))).body.code, 'draft-quota')
  const other = (await create(publisher, 'a'.repeat(400))).body
  const save = (draft: { id: string; updatedAt: string }, freeContentMarkdown: string) =>
    publisher.calls(updatePost, {
      params: { postId: draft.id },
      headers: { 'x-post-revision': draft.updatedAt },
      body: { freeContentMarkdown },
    })
  equal((await save(other, 'b'.repeat(401))).body.code, 'draft-quota')
  equal((await save(other, 'b'.repeat(400))).status, 200)
  await world.services.pool.query(
    'UPDATE posts SET free_markdown = free_markdown || free_markdown WHERE account_id = $1',
    [accountId],
  )
  equal((await save(post, 'c'.repeat(500))).status, 200)
})

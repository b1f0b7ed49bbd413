import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { deleteComment, getComment } from '@pennypost/contract/comments'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { getPublicPost } from '@pennypost/contract/discovery'
import { getMe } from '@pennypost/contract/me'
import { barPost, restorePost } from '@pennypost/contract/post-moderation'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { decideReport, listReports, reportComment, reportPost } from '@pennypost/contract/reports'
import { draft } from '../posts/posts.fixture.ts'
import type { Reader } from '../test/people.ts'
import { administrator, comments, discussionIn, publishes } from './discussion.fixture.ts'

const reports = (person: Reader, commentId: string, reason: unknown = 'rude', key: string = randomUUID()) =>
  person.owner.sends(reportComment, { params: { commentId }, body: { reason }, idempotencyKey: key })
const reportsPost = (person: Reader, postId: string, reason = 'spam', key: string = randomUUID()) =>
  person.owner.sends(reportPost, { params: { postId }, body: { reason }, idempotencyKey: key })
const decides = (admin: Reader, reportId: string, body: object) =>
  admin.owner.sends(decideReport, { params: { reportId }, body })

test('a report is filed once: the same key replays, different input conflicts, another key is a duplicate', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const { id } = await comments(author, postId, 'x')
  for (const report of [
    (reason: string, key: string) => reports(reader, id, reason, key),
    (reason: string, key: string) => reportsPost(reader, postId, reason, key),
  ]) {
    const first = await report('  rude ', 'key')
    equal(first.status, 201)
    const { reportId } = first.body
    deepEqual(first.body, { success: true, reportId, status: 'open', replayed: false })
    const again = await report('rude', 'key')
    deepEqual([again.status, again.body], [200, { ...first.body, replayed: true }])
    const changed = await report('other', 'key')
    deepEqual([changed.status, changed.body.data.code], [409, 'idempotency_key_conflict'])
    const duplicate = await report('rude', 'another')
    deepEqual([duplicate.status, duplicate.body.data.code], [409, 'duplicate_report'])
  }
  equal((await reports(author, id)).status, 201)
})

test('a reason has 1 to 2000 characters after trimming, and the key is required', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const { id } = await comments(author, postId, 'x')
  for (const reason of ['', '  ', 'x'.repeat(2001), 1, null]) equal((await reports(reader, id, reason)).status, 422)
  const without = await reader.owner.sends(reportComment, { params: { commentId: id }, body: { reason: 'x' } })
  deepEqual([without.status, without.body.data.code], [400, 'idempotency_key_required'])
  equal((await reports(reader, id, 'x'.repeat(2000))).status, 201)
})

test('posts and comments that are not visible cannot be reported', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const { id } = await comments(author, postId, 'x')
  const { id: deleted } = await comments(author, postId, 'y')
  await author.owner.calls(deleteComment, { params: { commentId: deleted } })
  equal((await reports(reader, deleted)).status, 409)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  for (const given of [id, randomUUID(), 'nonsense']) equal((await reports(reader, given)).status, 404)
  for (const given of [postId, randomUUID(), 'nonsense']) equal((await reportsPost(reader, given)).status, 404)
})

test('the report queue and the audit log are for administrators only: 403 for others', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const { body } = await reportsPost(reader, postId)
  for (const refused of [
    await author.owner.calls(listReports, {}),
    await author.owner.calls(listAuditEntries, {}),
    await decides(author, body.reportId, { decision: 'dismiss' }),
  ]) {
    deepEqual([refused.status, refused.body.code], [403, 'admin-required'])
  }
  const unknown = await world.stranger().calls(makeAdmin, { body: { profileId: randomUUID() } })
  deepEqual([unknown.status, unknown.body.code], [404, 'account-not-found'])
  const admin = await administrator(world)
  equal((await admin.owner.calls(getMe, {})).body.authority.isAdmin, true)
  equal((await admin.owner.calls(listReports, {})).status, 200)
})

test('open reports are listed oldest first, in pages', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  const filed: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const { id } = await comments(author, postId, `x${count}`)
    filed.push((await reports(reader, id)).body.reportId)
    await world.advance(1)
  }
  const list = (query: object) => admin.owner.sends(listReports, { query })
  const { body } = await list({ limit: '2' })
  deepEqual(
    body.reports.map(({ id }: { id: string }) => id),
    filed.slice(0, 2),
  )
  const [first] = body.reports
  deepEqual(
    [first.status, first.targetKind, first.postId, first.reason, first.reporter.id, first.target],
    [
      'open',
      'comment',
      postId,
      'rude',
      reader.accountId,
      { author: { id: author.accountId, handle: author.handle }, excerpt: 'x0', isGone: false },
    ],
  )
  const rest = await list({ limit: '2', cursor: body.pagination.nextCursor })
  deepEqual([rest.body.reports[0].id, rest.body.pagination.hasMore], [filed[2], false])
  await decides(admin, filed[0]!, { decision: 'dismiss' })
  deepEqual((await list({})).body.reports.length, 2)
  deepEqual((await list({ status: 'dismissed' })).body.reports[0].id, filed[0])
  for (const query of [{ status: 'x' }, { cursor: 'x' }, { limit: '101' }]) equal((await list(query)).status, 400)
})

test('dismissing closes only this report and changes nothing else; a report is decided once', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  const { id } = await comments(author, postId, 'x')
  const { body: mine } = await reports(reader, id, 'rude', 'mine')
  await reports(await world.reader(), id)
  const { status, body } = await decides(admin, mine.reportId, { decision: 'dismiss', note: 'fine' })
  deepEqual(
    [status, body.status, body.decision, body.note, body.decidedBy],
    [200, 'dismissed', 'dismiss', 'fine', admin.accountId],
  )
  equal((await reader.owner.calls(getComment, { params: { commentId: id } })).body.content, 'x')
  equal((await admin.owner.calls(listReports, {})).body.reports.length, 1)
  const again = await decides(admin, mine.reportId, { decision: 'remove_comment' })
  deepEqual([again.status, again.body.code], [409, 'report-state'])
  equal((await decides(admin, randomUUID(), { decision: 'dismiss' })).status, 404)
  // Repeating the reporter's key returns the decision. A new key does not file a new report.
  const replay = await reports(reader, id, 'rude', 'mine')
  deepEqual(
    [replay.status, replay.body],
    [200, { success: true, reportId: mine.reportId, status: 'dismissed', replayed: true }],
  )
  const second = await reports(reader, id, 'still rude')
  deepEqual([second.status, second.body.data.code], [409, 'duplicate_report'])
})

test('removing the comment or unpublishing the post upholds every open report of it', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  const { id } = await comments(author, postId, 'x')
  const { body: first } = await reports(reader, id, 'rude', 'key')
  await reports(await world.reader(), id)
  const { body: ofPost } = await reportsPost(reader, postId)
  for (const [reportId, decision] of [
    [first.reportId, 'withdraw_post'],
    [ofPost.reportId, 'remove_comment'],
    [first.reportId, 'other'],
  ])
    equal((await decides(admin, reportId, { decision })).status, 422)
  const removed = await decides(admin, first.reportId, { decision: 'remove_comment', note: 'insult' })
  deepEqual([removed.body.status, removed.body.target.isGone, removed.body.target.excerpt], ['upheld', true, 'x'])
  const { body: comment } = await reader.owner.calls(getComment, { params: { commentId: id } })
  deepEqual([comment.content, comment.deleted_by_role], [null, 'admin'])
  equal((await admin.owner.calls(listReports, { query: { status: 'upheld' } })).body.reports.length, 2)
  deepEqual((await reports(reader, id, 'rude', 'key')).body.status, 'upheld')
  equal((await decides(admin, ofPost.reportId, { decision: 'withdraw_post' })).body.status, 'upheld')
  equal((await world.stranger().calls(getPublicPost, { params: { postId } })).status, 404)
  const { body: log } = await admin.owner.calls(listAuditEntries, {})
  deepEqual(
    log.entries.map(({ act, targetId, details }: Record<string, unknown>) => [act, targetId, details]),
    [
      ['report.withdraw_post', postId, { reportId: ofPost.reportId }],
      ['report.remove_comment', id, { reportId: first.reportId, note: 'insult' }],
    ],
  )
  equal(log.entries[0].actor.id, admin.accountId)
})

test('an author cannot publish a post again after an administrator unpublished it', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const admin = await administrator(world)
  const other = await publishes(author)
  for (const [id, isFaster] of [
    [postId, false],
    [other, true],
  ] as const) {
    const { body } = await reportsPost(reader, id)
    if (isFaster) await author.publisher.calls(withdrawPost, { params: { postId: id } })
    equal((await decides(admin, body.reportId, { decision: 'withdraw_post' })).status, 200)
    const refused = await author.publisher.calls(publishPost, { params: { postId: id } })
    deepEqual([refused.status, refused.body.code], [409, 'post-state'])
    match(refused.body.detail, /administrator/)
    equal((await reader.owner.calls(getPublicPost, { params: { postId: id } })).status, 404)
  }
})

test('an administrator can unpublish and restore a post without a report; then its author can publish it again', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  const params = { postId }
  const isPublic = async () => (await reader.owner.calls(getPublicPost, { params })).status === 200
  const barred = await admin.owner.calls(barPost, { params, body: { note: 'stolen' } })
  equal(barred.status, 200)
  deepEqual(
    [barred.body.status, typeof barred.body.withdrawnByAdminAt, await isPublic()],
    ['withdrawn', 'string', false],
  )
  deepEqual((await admin.owner.calls(barPost, { params, body: {} })).body, barred.body)
  equal((await author.publisher.calls(publishPost, { params })).status, 409)
  const restored = await admin.owner.calls(restorePost, { params, body: { note: 'a mistake' } })
  deepEqual(restored.body, { postId, status: 'withdrawn', withdrawnByAdminAt: null })
  deepEqual((await admin.owner.calls(restorePost, { params, body: {} })).body, restored.body)
  equal(await isPublic(), false)
  equal((await author.publisher.calls(publishPost, { params })).status, 200)
  equal(await isPublic(), true)
  const { body: log } = await admin.owner.calls(listAuditEntries, {})
  deepEqual(
    log.entries.map(({ act, targetId, details }: Record<string, unknown>) => [act, targetId, details]),
    [
      ['post.restore', postId, { note: 'a mistake' }],
      ['post.withdraw', postId, { note: 'stolen' }],
    ],
  )
})

test('an administrator can act without a note and without a body', async (t) => {
  const { postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  for (const endpoint of [barPost, restorePost])
    equal((await admin.owner.sends(endpoint, { params: { postId } })).status, 200)
  const { body: log } = await admin.owner.calls(listAuditEntries, {})
  deepEqual(
    log.entries.map(({ act, details }: Record<string, unknown>) => [act, details]),
    [
      ['post.restore', {}],
      ['post.withdraw', {}],
    ],
  )
})

test('a post unpublished by a report can be restored; drafts and unknown posts are 404', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const admin = await administrator(world)
  const { body } = await reportsPost(reader, postId)
  await decides(admin, body.reportId, { decision: 'withdraw_post' })
  equal((await admin.owner.calls(restorePost, { params: { postId }, body: {} })).status, 200)
  equal((await author.publisher.calls(publishPost, { params: { postId } })).status, 200)
  const own = await draft(author.publisher)
  for (const endpoint of [barPost, restorePost]) {
    for (const id of [own.id, randomUUID()]) {
      const refused = await admin.owner.calls(endpoint, { params: { postId: id }, body: {} })
      deepEqual([refused.status, refused.body.code], [404, 'post-not-found'])
    }
    const refused = await author.owner.calls(endpoint, { params: { postId }, body: {} })
    deepEqual([refused.status, refused.body.code], [403, 'admin-required'])
  }
})

test('only deletions by an administrator are in the audit log, which is listed newest first', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  for (const person of [reader, author, admin, admin]) {
    const { id } = await comments(reader, postId, 'x')
    await person.owner.calls(deleteComment, { params: { commentId: id } })
    await admin.owner.calls(deleteComment, { params: { commentId: id } })
  }
  const read = (query: object) => admin.owner.sends(listAuditEntries, { query })
  const { body } = await read({ limit: '1' })
  deepEqual([body.entries[0].act, body.entries[0].targetKind], ['comment.delete', 'comment'])
  const { body: rest } = await read({ cursor: body.pagination.nextCursor })
  deepEqual([rest.entries.length, rest.pagination.nextCursor], [1, null])
  ok(BigInt(rest.entries[0].id) < BigInt(body.entries[0].id))
  equal((await read({ cursor: 'x' })).status, 400)
})

test('the database refuses to change or delete an entry of the audit log', async (t) => {
  const { reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  const { id } = await comments(reader, postId, 'x')
  await admin.owner.calls(deleteComment, { params: { commentId: id } })
  const { pool } = world.services
  for (const change of ["UPDATE audit_log SET act = 'x'", 'DELETE FROM audit_log', 'TRUNCATE audit_log'])
    await rejects(pool.query(change), /only ever added to/)
  equal((await pool.query('SELECT FROM audit_log')).rowCount, 1)
})

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { deleteComment, getComment, listPublicComments } from '@pennypost/contract/comments'
import { getLeaderboard, getPublicPost } from '@pennypost/contract/discovery'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { deletePost, getPost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { listCommentSupporters, listTipActivities } from '@pennypost/contract/tip-lists'
import { comments } from '../../discussion/discussion.fixture.ts'
import { auditBooks } from '../audit/audit-books.ts'
import { price, quotes, savesAddress, xno } from '../market.fixture.ts'
import { arrives, creatorsIn, tipsWith } from './finance.fixture.ts'
import { fillLines } from './many-lines.fixture.ts'

test('tips to a Post: the latest first, in its total; a comment has its own tips and supporters', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const cleo = await world.reader({ name: 'Cleo' })
  const reader = world.stranger()
  await savesAddress(bob, 'nano_1111111111111111111111111111111111111111111111111111hifc8npp')
  const comment = await comments(bob, adasPost.postId, 'well said')
  const commentId: string = comment.id
  const first = await tipsWith(world, bob, adasPost, xno, 'thank you')
  await world.advance(1)
  const second = await tipsWith(world, cleo, adasPost, 2n * xno)
  await tipsWith(world, ada, { commentId }, xno)
  await tipsWith(world, cleo, { commentId }, 2n * xno)
  await tipsWith(world, ada, { commentId }, 3n * xno)
  const { body: activities } = await reader.calls(listTipActivities, { params: adasPost })
  deepEqual(
    activities.map((tip: Record<string, { handle: string }>) => [
      tip.id,
      tip.amountReceivedRaw,
      tip.tipper!.handle,
      tip.message,
    ]),
    [
      [second, String(2n * xno), cleo.handle, null],
      [first, String(xno), bob.handle, 'thank you'],
    ],
  )
  const supporters = () =>
    reader
      .calls(listCommentSupporters, { params: { ...adasPost, commentId } })
      .then(({ body }) =>
        body.map((row: { tipper: { handle: string }; tipAmountRaw: string }) => [row.tipper.handle, row.tipAmountRaw]),
      )
  deepEqual(await supporters(), [
    [ada.handle, String(4n * xno)],
    [cleo.handle, String(2n * xno)],
  ])
  equal((await reader.calls(getPublicPost, { params: adasPost })).body.tipTotalRaw, String(3n * xno))
  equal((await bob.owner.calls(getComment, { params: { commentId } })).body.tip_total_raw, String(6n * xno))
  await bob.owner.calls(deleteComment, { params: { commentId } })
  equal((await supporters()).length, 2)
  await ada.publisher.calls(withdrawPost, { params: adasPost })
  equal((await reader.calls(listTipActivities, { params: adasPost })).status, 404)
  equal((await reader.calls(listCommentSupporters, { params: { ...adasPost, commentId } })).status, 404)
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
})

test('the list of tips goes on to the last one, also where many came at the same time', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const { pool } = world.services
  await fillLines(pool, { payerId: bob.accountId, payeeId: ada.accountId, ...adasPost }, 1_100)
  await pool.query(`UPDATE orders SET received_at = '2026-01-01' WHERE post_id = $1 AND address_id % 3 > 0`, [
    adasPost.postId,
  ])
  const { rows } = await pool.query('SELECT id FROM orders WHERE post_id = $1 ORDER BY received_at DESC, id', [
    adasPost.postId,
  ])
  const listed: string[] = []
  const lengths = []
  for (let cursor: string | undefined, isOver = false; !isOver; ) {
    const { body, headers } = await world.stranger().calls(listTipActivities, { params: adasPost, query: { cursor } })
    listed.push(...body.map(({ id }: { id: string }) => id))
    lengths.push(body.length)
    const next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    isOver = next === undefined
    cursor = next && new URL(next).searchParams.get('cursor')!
  }
  deepEqual(lengths, [500, 500, 100])
  deepEqual(
    listed,
    rows.map(({ id }) => id),
  )
  equal((await world.stranger().calls(listTipActivities, { params: adasPost, query: { cursor: 'x' } })).status, 400)
})

test('a reader of supporters may ask 40 times in ten seconds', async (t) => {
  const { world, bob, adasPost } = await creatorsIn(t)
  const { id: commentId } = await comments(bob, adasPost.postId, 'well said')
  const reader = world.stranger()
  const asks = () => reader.calls(listCommentSupporters, { params: { ...adasPost, commentId } })
  for (let n = 0; n < 40; n += 1) equal((await asks()).status, 200)
  const refused = await asks()
  deepEqual([refused.status, typeof refused.body.data.retryAfter], [429, 'number'])
})

test('a sale counts for its Post, marks the buyer, also in what they said before, and keeps the Post', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const { postId } = adasPost
  const said = await comments(bob, postId, 'before')
  equal(said.has_purchased, false)
  const { address } = await quotes(bob, postId)
  const deletes = async (params: { postId: string }) => {
    const headers = { 'x-post-revision': (await ada.publisher.calls(getPost, { params })).body.updatedAt }
    const { status, body } = await ada.publisher.calls(deletePost, { params, headers })
    return [status, body.code]
  }
  deepEqual(await deletes(adasPost), [409, 'financial-history-retained'])
  equal((await world.stranger().calls(getPublicPost, { params: adasPost })).body.salesCount, 0)
  await arrives(world, address, price)
  equal((await world.stranger().calls(getPublicPost, { params: adasPost })).body.salesCount, 1)
  await comments(ada, postId, 'mine')
  const { body: list } = await world.stranger().calls(listPublicComments, { params: adasPost })
  deepEqual(
    list.map((comment: { has_purchased: boolean }) => comment.has_purchased),
    [true, false],
  )
  equal((await comments(bob, bobsPost.postId, 'elsewhere')).has_purchased, false)
  await ada.publisher.calls(withdrawPost, { params: adasPost })
  deepEqual(await deletes(adasPost), [409, 'financial-history-retained'])
})

test('leaderboards: what creators earned and sold, what supporters gave, and nobody who does not want to be seen', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const cleo = await world.reader()
  await arrives(world, (await quotes(bob, adasPost.postId)).address, price)
  await arrives(world, (await quotes(cleo, adasPost.postId)).address, price)
  await tipsWith(world, cleo, bobsPost, xno)
  const net = price - price / 20n
  const board = async (name: 'creators_earnings' | 'creators_sales' | 'supporters') => {
    const { body } = await cleo.owner.calls(getLeaderboard, { query: { board: name } })
    return body.items.map((row: { profile: { handle: string }; value?: number; valueRaw?: string }) => [
      row.profile.handle,
      row.value ?? row.valueRaw,
    ])
  }
  deepEqual(await board('creators_earnings'), [
    [bob.handle, String(xno)],
    [ada.handle, String(2n * net)],
  ])
  deepEqual(await board('creators_sales'), [[ada.handle, 2]])
  deepEqual(await board('supporters'), [
    [cleo.handle, String(xno + price)],
    [bob.handle, String(price)],
  ])
  await bob.owner.calls(updateNotificationPreferences, { body: { show_on_creator_leaderboards: false } })
  deepEqual(await board('creators_earnings'), [[ada.handle, String(2n * net)]])
  await cleo.owner.calls(updateNotificationPreferences, { body: { show_on_supporter_leaderboard: false } })
  deepEqual(await board('supporters'), [[bob.handle, String(price)]])
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
})

test('the audit names what was changed behind the back of the books', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const { pool, db, clock } = world.services
  const { id: commentId } = await comments(ada, adasPost.postId, 'mine')
  await arrives(world, (await quotes(bob, adasPost.postId)).address, price)
  await tipsWith(world, bob, { commentId }, xno)
  deepEqual(await auditBooks(db, clock.now()), [])
  const audits = async (change: string, back: string, words: string) => {
    // A database that was damaged past its own rules.
    await pool.query(`SET session_replication_role = replica; ${change}; RESET session_replication_role`)
    const found = await auditBooks(db, clock.now())
    ok(found.length > 0 && found.every((finding) => finding.includes(words)), `${change}: ${found.join(', ')}`)
    await pool.query(`SET session_replication_role = replica; ${back}; RESET session_replication_role`)
    deepEqual(await auditBooks(db, clock.now()), [])
  }
  const raises = (table: string, column: string, where = 'true') =>
    ['+', '-'].map((sign) => `UPDATE ${table} SET ${column} = ${column} ${sign} 1 WHERE ${where}`) as [string, string]
  await audits(...raises('account_figures', 'earned_raw'), 'its sales, earnings or gifts')
  await audits(...raises('account_figures', 'given_raw'), 'its sales, earnings or gifts')
  await audits(...raises('account_figures', 'earned_atomic'), 'its sales, earnings or gifts')
  await audits(...raises('account_figures', 'given_atomic'), 'its sales, earnings or gifts')
  await audits(...raises('post_figures', 'sales_count', 'sales_count > 0'), 'its sales or tips')
  await audits(...raises('post_figures', 'tip_total_raw'), 'its sales or tips')
  await audits(...raises('post_figures', 'tip_total_atomic'), 'its sales or tips')
  await audits(...raises('comments', 'tip_total_raw'), 'its supporters')
  await audits(...raises('comments', 'tip_total_atomic'), 'its supporters')
  await audits(...raises('comment_supporters', 'tip_total_raw'), 'its supporters')
  await audits(...raises('comment_supporters', 'tip_total_atomic'), 'its supporters')
  await audits(...raises('finance_lines', 'line_count', `direction = 'in'`), 'the sum of those before it')
  const moved = (from: string, to: string) =>
    `UPDATE finance_lines SET asset = '${to}' WHERE asset = '${from}' AND direction = 'in'`
  const found = async () => (await auditBooks(db, clock.now())).join('\n')
  await pool.query(`SET session_replication_role = replica; ${moved('XNO', 'USDC')}; RESET session_replication_role`)
  match(await found(), /order .* what its payer and payee are shown disagree/)
  await pool.query(`SET session_replication_role = replica; ${moved('USDC', 'XNO')}; RESET session_replication_role`)
  equal(await found(), '')
  const stays = await pool.query('UPDATE finance_lines SET gross_raw = 1').catch((error: Error) => error.message)
  equal(stays, 'finance_lines is only ever added to')
})

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addBookmark } from '@pennypost/contract/bookmarks'
import { updateFollow } from '@pennypost/contract/follows'
import { startExport } from '@pennypost/contract/personal-data'
import { updatePost } from '@pennypost/contract/posts'
import { reactToPost } from '@pennypost/contract/reactions'
import { reportPost } from '@pennypost/contract/reports'
import { createSeries } from '@pennypost/contract/series'
import { subscribe } from '@pennypost/contract/subscribers'
import { links, signingWallet } from '../accounts/wallets/wallets.fixture.ts'
import { comments } from '../discussion/discussion.fixture.ts'
import { isClean, openMarket, price, quotes, sells, signsIn, tips, xno } from '../payments/market.fixture.ts'
import { draft, payable, publish, wholePost } from '../posts/posts.fixture.ts'
import { patch } from '../profiles/patch-profile.fixture.ts'
import { emptiedWorld } from '../test/world.ts'
import { revisionOf, smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { illustratedPost, picture, sendAvatar, sendImage } from '../uploads/uploads.fixture.ts'
import { exportsAll } from './personal-data.fixture.ts'

const jsonIn = (files: Map<string, Buffer>, path: string) => JSON.parse(files.get(path)!.toString())
const pathWith = (files: Map<string, Buffer>, pattern: RegExp): string => {
  const path = [...files.keys()].find((name) => pattern.test(name))
  ok(path, `${pattern} is not in ${[...files.keys()].join(', ')}`)
  return path
}

test('an export has everything that the account made', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator({ name: 'Ada Lovelace', handle: 'ada_lovelace' }))
  const other = await payable(await world.creator({ name: 'Charles', handle: 'charles_b' }))
  const { owner, publisher, accountId } = author
  await patch(publisher, { bio: 'I write about engines.' })
  equal((await sendAvatar(publisher)).status, 202)
  const wallet = signingWallet()
  equal((await links(owner, wallet)).status, 200)
  const post = await publish(author, { ...illustratedPost, title: 'Über engines', tags: ['Machines'] })
  const picked = await picture()
  equal((await sendImage(publisher, post.id, { bytes: picked })).status, 202)
  const edited = await publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': await revisionOf(publisher, post.id) },
    body: { freeContentMarkdown: 'A second version' },
  })
  equal(edited.status, 200, JSON.stringify(edited.body))
  const unfinished = await draft(publisher, { title: 'Unfinished', freeContentMarkdown: 'Only a draft' })
  await publisher.calls(createSeries, { body: { title: 'Engines', postIds: [post.id] } })
  const theirs = await publish(other, { ...wholePost, title: 'Their post', freeContentMarkdown: 'their text' })
  await comments(author, theirs.id, 'A comment of mine')
  await owner.calls(reactToPost, { params: { postId: theirs.id }, body: { reaction: 'heart' } })
  await owner.calls(addBookmark, { params: { postId: theirs.id } })
  await owner.calls(updateFollow, { params: { creatorId: other.accountId }, body: { following: true } })
  await other.owner.calls(updateFollow, { params: { creatorId: accountId }, body: { following: true } })
  await owner.calls(reportPost, {
    params: { postId: theirs.id },
    body: { reason: 'Not an engine' },
    idempotencyKey: randomUUID(),
  })
  await owner.calls(subscribe, { params: { handle: other.handle }, body: {} })
  await other.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  await world.runJobs()

  const files = await exportsAll(t, world, author)
  match(files.get('README.txt')!.toString(), /people\/comments\.json\n {4}what you wrote/)
  const account = jsonIn(files, 'account/account.json')
  deepEqual(
    [account.handle, account.name, account.email, account.profile.bio],
    ['ada_lovelace', 'Ada Lovelace', author.email, 'I write about engines.'],
  )
  equal(account.wallets[0].address, wallet.address)
  equal(account.receivingAddresses[0].rail, 'nano')
  equal(account.notificationSettings.email_notifications, true)
  deepEqual([...files.get(pathWith(files, /^account\/avatar\.\w+$/))!.subarray(0, 4)].length, 4)
  const text = files.get(pathWith(files, /^posts\/uber-engines-\w+\/post\.md$/))!.toString()
  match(text, /^---\nid: "[0-9a-f-]{36}"\ntitle: "Über engines"\n/)
  match(text, /\ntags: \["Machines"\]\n/)
  match(text, /\n---\n\nA second version$/)
  match(files.get(pathWith(files, /^posts\/uber-engines-\w+\/versions\/.*\.md$/))!.toString(), /image:cover/)
  ok(files.get(pathWith(files, /^posts\/uber-engines-\w+\/images\/cover\.\w+$/))!.byteLength > 0)
  match(files.get(pathWith(files, /^posts\/unfinished-\w+\/post\.md$/))!.toString(), /Only a draft$/)
  equal(jsonIn(files, 'posts/series.json')[0].postIds[0], post.id)
  equal(jsonIn(files, 'posts/tags.json')[0].name, 'Machines')
  equal(jsonIn(files, 'people/comments.json')[0].text, 'A comment of mine')
  equal(jsonIn(files, 'people/reactions-to-posts.json')[0].reaction, 'heart')
  equal(jsonIn(files, 'people/bookmarks.json')[0].title, 'Their post')
  deepEqual(jsonIn(files, 'people/following.json')[0].creator, { handle: 'charles_b', name: 'Charles' })
  deepEqual(jsonIn(files, 'people/followers.json')[0].follower, { handle: 'charles_b', name: 'Charles' })
  equal(jsonIn(files, 'people/reports.json')[0].reason, 'Not an engine')
  equal(jsonIn(files, 'people/email-subscriptions.json')[0].creator.handle, 'charles_b')
  match(files.get('people/subscribers.csv')!.toString(), new RegExp(`\n${other.email},account,`))
  equal(jsonIn(files, 'account/sessions.json').length, 1)
  equal(jsonIn(files, 'account/publishing-keys.json').length, 1)
  equal(jsonIn(files, 'account/uploads.json').length, 2)
  ok(jsonIn(files, 'account/notifications.json').length > 0)
  equal(unfinished.status, 'draft')
  equal(files.has('MISSING.txt'), false)

  // Nothing of mine is in theirs, but what they see on the site anyway.
  const others = await exportsAll(t, world, other)
  const whole = [...others].map(([path, bytes]) => `${path}\n${bytes.toString('latin1')}`).join('\n')
  for (const secret of [wallet.address, 'Only a draft', 'A second version', 'I write about engines'])
    equal(whole.includes(secret), false, `${secret} leaks`)
  // They see the addresses of their subscribers, and nobody else's.
  equal(whole.split(author.email).length - 1, 1)
  match(others.get('people/subscribers.csv')!.toString(), new RegExp(author.email))
})

test('no secret is in an export: no hash, token, code or key', async (t) => {
  const world = await emptiedWorld(t)
  const author = await world.creator()
  const whole = [...(await exportsAll(t, world, author)).values()].map((bytes) => bytes.toString()).join('\n')
  const { rows } = await world.services.pool.query(
    `SELECT encode(secret_hash, 'hex') AS hash, encode(secret_hash, 'base64') AS other FROM publishing_keys
     UNION ALL SELECT encode(code_hash, 'hex'), encode(code_hash, 'base64') FROM email_codes`,
  )
  ok(rows.length >= 2)
  for (const secret of [
    ...rows.flatMap(({ hash, other }) => [hash, other]),
    author.pair.refreshToken,
    author.publisher.token!,
  ])
    equal(whole.includes(secret), false)
})

test('an export has what was bought with its text, what was sold, and ZIPs byte for byte', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId, pays, checkAddresses } = market
  const zip = smallZip()
  const withZip = await sells(creator, { title: 'With a ZIP' })
  equal((await uploadZip(creator.publisher, withZip, zip, { filename: 'my engines.zip' })).status, 200)
  await world.runJobs()
  const bought = await quotes(buyer, postId)
  const tipped = await tips(buyer, postId, xno)
  await pays(bought.address, price)
  await pays(tipped.address, xno)
  await checkAddresses()

  const mine = await exportsAll(t, world, buyer)
  const text = mine.get(pathWith(mine, /^library\/On engines-\w+\.md$/))!.toString()
  match(text, /\npaid: "0\.25 XNO"\n/)
  match(text, /\ntransactions: \["[0-9A-F]{64}"\]\n/)
  match(text, /Free\n\nthe-secret-part$/)
  deepEqual(
    jsonIn(mine, 'money/orders.json').map(({ kind, state }: { kind: string; state: string }) => [kind, state]),
    [
      ['purchase', 'paid'],
      ['tip', 'paid'],
    ],
  )
  const theirs = await exportsAll(t, world, creator)
  deepEqual(theirs.get(pathWith(theirs, /^posts\/with-a-zip-\w+\/attachments\/\w+-my engines\.zip$/)), zip)
  equal(theirs.get(pathWith(theirs, /^posts\/on-engines-\w+\/paid\.md$/))!.toString(), 'the-secret-part')
  equal(theirs.get('money/transactions.csv')!.toString().trim().split('\r\n').length, 3)
  equal(jsonIn(theirs, 'money/payouts.json').length, 2)
  equal(jsonIn(theirs, 'money/tips-received.json')[0].from.handle, buyer.handle)
  // Neither learns more about the other than the site shows.
  const whole = [...theirs.values()].map((bytes) => bytes.toString()).join('\n')
  equal(whole.includes(buyer.email), false)
  equal(whole.includes(market.wallet.address), false)
  await isClean(market)
})

test('a long list is complete, in order, and valid JSON, also where a page ends exactly', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  for (const count of [0, 500, 501, 1_200]) {
    await world.services.pool.query('DELETE FROM notifications')
    // Many at the same moment, so that the id decides.
    await world.services.pool.query(
      `INSERT INTO notifications (account_id, kind, origin, title, body, url, created_at)
       SELECT $1, 'test', 'test:' || n, 'n' || n, '', '/', now() - interval '1 second' * (n / 100) FROM generate_series(1, $2::int) n`,
      [reader.accountId, count],
    )
    const list: { title: string; createdAt: string }[] = jsonIn(
      await exportsAll(t, world, reader),
      'account/notifications.json',
    )
    equal(new Set(list.map(({ title }) => title)).size, count)
    const times = list.map(({ createdAt }) => createdAt)
    deepEqual(times, times.toSorted())
    await world.advance(86_400)
    await signsIn(world, reader)
    await world.advance(61)
  }
})

test('a stored file that is gone does not cost the rest: MISSING.txt names it', async (t) => {
  const world = await emptiedWorld(t)
  const author = await world.creator()
  await sendAvatar(author.publisher)
  await world.runJobs()
  const { rows } = await world.services.pool.query(
    'SELECT media_key FROM upload_operations WHERE media_key IS NOT NULL',
  )
  await world.services.files.remove(rows[0].media_key)
  const files = await exportsAll(t, world, author)
  match(files.get('MISSING.txt')!.toString(), /account\/avatar\.\w+\n/)
})

test('a publishing key cannot export', async (t) => {
  const world = await emptiedWorld(t)
  const { publisher } = await world.creator()
  equal((await publisher.calls(startExport, { body: { code: '000000' } })).status, 401)
})

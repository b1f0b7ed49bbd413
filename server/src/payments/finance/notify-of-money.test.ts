import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { listNotifications } from '@pennypost/contract/notifications'
import { clearPayoutAddress } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { comments } from '../../discussion/discussion.fixture.ts'
import type { Reader } from '../../test/people.ts'
import { openMarket, price, quotes, savesAddress, xno } from '../market.fixture.ts'
import { arrives, creatorsIn, tipsWith } from './finance.fixture.ts'

interface Row {
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly url: string
  readonly post_id: string | null
  readonly purchase_id: string | null
  readonly comment_id: string | null
  readonly actor: { readonly handle: string } | null
}

const feedOf = async (person: Reader): Promise<Row[]> =>
  (await person.owner.calls(listNotifications, {})).body.notifications

test('an author is notified of a sale and its payout, in the feed and by one email; the buyer of returned money', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId } = market
  const { id, address } = await quotes(buyer, postId)
  await market.pays(address, price + xno)
  await market.checkAddresses()
  await world.runJobs()
  const feed = await feedOf(creator)
  deepEqual(feed.map(({ kind }) => kind).sort(), ['new_purchase', 'payout_sent'])
  const sale = feed.find(({ kind }) => kind === 'new_purchase')!
  deepEqual(
    [sale.post_id, sale.purchase_id, sale.actor?.handle, sale.url, sale.body],
    [postId, id, buyer.handle, `/posts/${postId}`, '0.25 XNO, of which 0.2375 XNO goes to you.'],
  )
  ok(sale.title.endsWith('bought “On engines”'), sale.title)
  const paid = feed.find(({ kind }) => kind === 'payout_sent')!
  deepEqual([paid.title, paid.purchase_id], ['0.2375 XNO for “On engines” was sent to you', id])
  ok(paid.body.includes(market.earnings.address), paid.body)
  const subjects = (await world.mailTo(creator.email)).map(({ subject }) => subject)
  deepEqual(subjects, [sale.title], 'one email for each sale')
  const [back, ...more] = await feedOf(buyer)
  deepEqual(
    [back?.kind, back?.title, more],
    ['payout_sent', '1 XNO that you sent for “On engines” was returned to you', []],
  )
})

test('an author who wants no email about sales gets one about the payout', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId } = market
  await creator.owner.calls(updateNotificationPreferences, { body: { notify_new_purchase: false } })
  await market.pays((await quotes(buyer, postId)).address, price)
  await market.checkAddresses()
  await world.runJobs()
  const subjects = (await world.mailTo(creator.email)).map(({ subject }) => subject)
  deepEqual(subjects, ['0.2375 XNO for “On engines” was sent to you'])
})

test('an author is notified of a payout without an address, once, while it is blocked', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId } = market
  const { address } = await quotes(buyer, postId)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  await creator.owner.calls(clearPayoutAddress, {})
  await market.pays(address, price)
  await market.checkAddresses()
  await world.runJobs()
  const issues = (await feedOf(creator)).filter(({ kind }) => kind === 'account_issue')
  deepEqual(
    issues.map(({ title }) => title),
    ['0.2375 XNO for “On engines” needs a payout address'],
  )
})

test('the author of a post or comment is notified of tips, with their messages', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const { id: commentId } = await comments(bob, adasPost.postId, 'well said')
  await savesAddress(bob, 'nano_1111111111111111111111111111111111111111111111111111hifc8npp')
  await tipsWith(world, bob, adasPost, xno / 2n, '  for the engine\nand more ')
  await tipsWith(world, ada, { commentId }, xno)
  await world.runJobs()
  const tipIn = (feed: Row[]) => feed.find(({ kind }) => kind === 'tip_received')!
  const post = tipIn(await feedOf(ada))
  deepEqual(
    [post.title, post.body, post.url, post.comment_id, post.actor?.handle],
    [
      'Bob tipped you 0.5 XNO for “On engines”',
      'for the engine and more',
      `/posts/${adasPost.postId}`,
      null,
      bob.handle,
    ],
  )
  const comment = tipIn(await feedOf(bob))
  deepEqual(
    [comment.title, comment.body, comment.url, comment.comment_id],
    [
      'Ada tipped you 1 XNO for a comment on “On engines”',
      '',
      `/posts/${adasPost.postId}?focus=comments#comment-${commentId}`,
      commentId,
    ],
  )
})

test('a channel that is switched off for sales or tips is not used', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const body = { notify_new_purchase: false, notify_tip_received_inapp: false }
  await ada.owner.calls(updateNotificationPreferences, { body })
  await arrives(world, (await quotes(bob, adasPost.postId)).address, price)
  await tipsWith(world, bob, adasPost, xno)
  await world.runJobs()
  deepEqual(
    (await feedOf(ada)).map(({ kind }) => kind),
    ['new_purchase'],
  )
  const subjects = (await world.mailTo(ada.email)).map(({ subject }) => subject)
  equal(subjects.filter((subject) => subject.includes('bought')).length, 0)
  equal(subjects.filter((subject) => subject.includes('tipped')).length, 1)
})

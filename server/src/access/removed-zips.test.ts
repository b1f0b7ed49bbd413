import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess, getAsset } from '@pennypost/contract/access'
import { downloadAttachment, listPublicAttachments, removeAttachment } from '@pennypost/contract/attachments'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { clearHold, placeHold } from '@pennypost/contract/holds'
import { createPost, getPost, updatePost } from '@pennypost/contract/posts'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { arrives } from '../payments/finance/finance.fixture.ts'
import { quotes } from '../payments/market.fixture.ts'
import { hasAnvil } from '../test/base-chain.ts'
import type { Reader } from '../test/people.ts'
import { assetOf, paidAuthorIn, revisionOf, smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { presents, signature } from './x402/buying.fixture.ts'
import { openUsdcMarket, usdcZipPost } from './x402/usdc-market.fixture.ts'

type Author = Awaited<ReturnType<typeof paidAuthorIn>>

/** A published Post with a ZIP, and what can be done with it. */
async function sellsZip(sold: Author) {
  const { world, publisher, postId, params } = sold
  const bytes = smallZip()
  const { body } = await uploadZip(publisher, postId, bytes)
  await world.runJobs()
  equal((await publisher.calls(publishPost, { params })).status, 200)
  const price = BigInt((await publisher.calls(getPost, { params })).body.priceRaw)
  return {
    bytes,
    operationId: body.attachment.operation.id as string,
    own: assetOf(postId, body),
    asset: { params: { assetId: body.attachment.id as string } },
    async buys(person: Reader) {
      const { address } = await quotes(person, postId)
      await arrives(world, address, price)
      await world.runJobs()
    },
    async removes() {
      const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
      const { body: removed } = await publisher.calls(removeAttachment, { ...assetOf(postId, body), headers })
      deepEqual([removed.attachment.state, removed.attachment.safety.eligible], ['cleanup_queued', false])
      equal(removed.attachment.retentionReason, 'financial-history-retained')
      await world.runJobs()
    },
  }
}

test('a removed ZIP stays with those who bought it while it was there, and with nobody else', async (t) => {
  const sold = await paidAuthorIn(t)
  const { world, author, publisher, params } = sold
  const { bytes, own, asset, buys, removes } = await sellsZip(sold)
  const [bob, carol] = [await world.reader(), await world.reader()]
  const { token: gift } = (await author.owner.calls(createGiftLink, { params })).body.giftLink
  await buys(bob)
  const before = (await bob.owner.calls(getAccess, { params })).body.attachments
  equal(before.length, 1)
  await removes()
  await world.advance(1)
  await buys(carol)

  const stranger = world.stranger()
  for (const reply of [
    await stranger.calls(getAsset, { ...asset, query: { gift } }),
    await stranger.calls(getAsset, asset),
    await carol.owner.calls(getAsset, asset),
    await author.owner.calls(getAsset, asset),
  ])
    deepEqual([reply.status, reply.body.code], [404, 'asset-not-found'])
  deepEqual((await stranger.calls(listPublicAttachments, { params })).body.attachments, [])
  deepEqual((await stranger.calls(getAccess, { params, query: { gift } })).body.attachments, [])
  deepEqual((await carol.owner.calls(getAccess, { params })).body.attachments, [])
  deepEqual((await author.owner.calls(getAccess, { params })).body.attachments, [])

  const got = await bob.owner.calls(getAsset, asset)
  equal(got.status, 200)
  ok(bytes.equals(Buffer.from(got.body)))
  deepEqual((await bob.owner.calls(getAccess, { params })).body.attachments, before, 'its buyers find it as before')
  equal((await publisher.calls(downloadAttachment, own)).status, 200)

  await publisher.calls(withdrawPost, { params })
  equal((await bob.owner.calls(getAsset, asset)).status, 200)
  deepEqual((await bob.owner.calls(getAccess, { params })).body.attachments, before)
})

test('nor does it come with a Post that became free', async (t) => {
  const sold = await paidAuthorIn(t)
  const { world, publisher, postId, params } = sold
  const { asset, buys, removes } = await sellsZip(sold)
  const bob = await world.reader()
  await buys(bob)
  await removes()
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  equal((await publisher.calls(updatePost, { params, headers, body: { enablePaywall: false } })).status, 200)
  const stranger = world.stranger()
  equal((await stranger.calls(getAsset, asset)).status, 404)
  deepEqual((await stranger.calls(getAccess, { params })).body.attachments, [])
  equal((await bob.owner.calls(getAsset, asset)).status, 200)
  equal((await bob.owner.calls(getAccess, { params })).body.attachments.length, 1)
})

test('a linked wallet that bought it in time keeps a removed ZIP; one that bought later never had it', async (t) => {
  const sold = await paidAuthorIn(t)
  const { world, postId, params } = sold
  const { asset, buys, removes } = await sellsZip(sold)
  await buys(await world.reader())
  const { db, clock } = world.services
  const owns = async () => {
    const { owner, accountId } = await world.reader()
    const address = `nano_${randomUUID()}`
    const wallet = { network: 'nano:mainnet', wallet: address, post_id: postId, source: 'x402' } as const
    await db
      .insertInto('wallet_entitlements')
      .values({ ...wallet, granted_at: clock.now() })
      .execute()
    await db
      .insertInto('wallets')
      .values({ kind: 'nano', address, account_id: accountId, linked_at: clock.now() })
      .execute()
    return owner
  }
  const early = await owns()
  await removes()
  await world.advance(1)
  const late = await owns()
  equal((await early.calls(getAsset, asset)).status, 200)
  equal((await early.calls(getAccess, { params })).body.attachments.length, 1)
  equal((await late.calls(getAsset, asset)).status, 404)
  deepEqual((await late.calls(getAccess, { params })).body.attachments, [])
})

test('a held one is given to nobody and listed to nobody, its buyers included', async (t) => {
  const sold = await paidAuthorIn(t)
  const { world, params } = sold
  const { asset, operationId, buys, removes } = await sellsZip(sold)
  const bob = await world.reader()
  await buys(bob)
  await removes()
  const admin = await world.reader()
  await admin.owner.calls(makeAdmin, { body: { profileId: admin.accountId } })
  const { body: hold } = await admin.owner.calls(placeHold, { body: { operationId, reason: 'a report' } })
  equal((await bob.owner.calls(getAsset, asset)).status, 409)
  deepEqual((await bob.owner.calls(getAccess, { params })).body.attachments, [])
  await admin.owner.calls(clearHold, { params: { holdId: hold.id } })
  await world.runJobs()
  equal((await bob.owner.calls(getAsset, asset)).status, 200)
  equal((await bob.owner.calls(getAccess, { params })).body.attachments.length, 1)
})

test('a proof that was settled in time opens a removed ZIP', { skip: !hasAnvil }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, creator } = market
  const { body: draft } = await creator.publisher.sends(createPost, { body: usdcZipPost })
  const postId: string = draft.id
  const { body } = await uploadZip(creator.publisher, postId, smallZip())
  await world.runJobs()
  equal((await creator.publisher.calls(publishPost, { params: { postId } })).status, 200)
  const asset = { params: { assetId: body.attachment.id } }
  const buys = async () => {
    const { accepted, payload } = await market.order(world.stranger(), await market.fundedWallet(), postId)
    equal((await presents(world.stranger(), postId, accepted, payload)).status, 200)
    return signature(accepted, payload)
  }
  const early = await buys()
  const headers = { 'x-post-revision': await revisionOf(creator.publisher, postId) }
  equal((await creator.publisher.calls(removeAttachment, { ...assetOf(postId, body), headers })).status, 200)
  await world.advance(1)
  const late = await buys()
  const person = world.stranger()
  equal((await person.calls(getAsset, { ...asset, headers: early })).status, 200)
  const listed = await person.calls(getAccess, { params: { postId }, headers: early })
  equal(listed.body.attachments.length, 1)
  equal((await person.calls(getAsset, { ...asset, headers: late })).status, 404)
  await market.later(10)
})

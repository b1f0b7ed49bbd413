import { doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { send } from '@pennypost/contract/client'
import { contract, siteContract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { createPost } from '@pennypost/contract/posts'
import { savePayoutAddress } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import pg from 'pg'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { startPostgresPair } from '../../test/postgres-pair.ts'
import { folderFor, RemotePerson, register, startProcess } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { createLog } from '../log.ts'
import { openReplica } from './replica.ts'

const about = { category: 'technology', language: 'en', creationMethod: 'human', creationAttested: true }

test('who is not signed in reads from the replica, who is reads what they wrote, and without a replica all goes on', async (t) => {
  const pair = await startPostgresPair(t)
  const running = await startProcess(t, {
    DATABASE_URL: pair.urls[0],
    DATABASE_REPLICA_URL: pair.urls[1],
    REPLICA_LAG_SECONDS: '60',
    DATA_DIR: await folderFor(t),
  })
  ok(running.output().includes('Pennypost is ready'), running.output())
  const { accessToken, key } = await register(running.origin)
  const body = { payoutAddress: createNanoWallet({} as never).address }
  const owner = new RemotePerson(running, accessToken)
  equal((await owner.sends(savePayoutAddress, { body })).status, 200)
  const author = new RemotePerson(running, key)
  const publish = async (title: string, more = {}): Promise<string> => {
    const written = await author.sends(createPost, {
      body: { title, freeContentMarkdown: 'Free text.', ...about, ...more },
    })
    const { id } = written.body as { id: string }
    const published = await author.sends(publishPost, { params: { postId: id } })
    equal(published.status, 200, JSON.stringify(published.body))
    return id
  }
  const statusOf = async (postId: string, headers: Record<string, string> = {}) =>
    (await fetch(`${running.origin}/api/posts/${postId}`, { headers })).status
  await until('the replica is used', () => running.output().includes('the replica answers public reads'))
  const first = await publish('First')
  await until('the replica has it', async () => (await statusOf(first)) === 200)

  const standby = new pg.Client({ connectionString: pair.urls[1] })
  standby.on('error', () => {})
  await standby.connect()
  await standby.query('SELECT pg_wal_replay_pause()')
  const paid = { paidContentMarkdown: 'Paid text.', enablePaywall: true, priceRaw: String(10n ** 28n) }
  const second = await publish('Second', paid)
  equal(await statusOf(second), 404)
  equal(await statusOf(second, { authorization: `Bearer ${key}` }), 200)
  equal(await statusOf(second, { cookie: 'any=thing' }), 200)
  const { body: made } = await owner.sends(createGiftLink, { params: { postId: second } })
  const { url } = (made as { giftLink: { url: string } }).giftLink
  const gift = await fetch(new URL(new URL(url).pathname + new URL(url).search, running.origin))
  match(await gift.text(), /Paid text/)
  await standby.query('SELECT pg_wal_replay_resume()')
  await until('the replica has it', async () => (await statusOf(second)) === 200)

  const handle = (
    (await (await fetch(`${running.origin}/api/posts/${first}`)).json()) as { author: { handle: string } }
  ).author.handle
  const params = {
    postId: first,
    handle,
    slug: 'first',
    tag: 'technology',
    part: 'site',
    userId: first,
    profileId: first,
  }
  for (const [name, endpoint] of Object.entries<Endpoint>({ ...contract, ...siteContract })) {
    if (!endpoint.fromReplica) continue
    const input = { params: { ...params, tagId: first, commentId: first }, query: { q: 'text', url: running.origin } }
    const { status } = await send(endpoint, input, { baseUrl: running.origin })
    ok(status < 500, `${name}: ${status}`)
  }
  doesNotMatch(running.output(), /the primary answers all reads/)

  await standby.end()
  await pair.killStandby()
  equal(await statusOf(first), 200)
  await until('it is noticed', () => running.output().includes('the primary answers all reads'))
})

test('a statement that takes too long is not run again on the primary, and one that writes is', async (t) => {
  const pair = await startPostgresPair(t)
  const primary = new pg.Pool({ connectionString: pair.urls[0] })
  primary.on('error', () => {})
  t.after(() => primary.end())
  const options = { connections: 2, searchConnections: 1, maxLagSeconds: 60 }
  const replica = openReplica(pair.urls[1], primary, createLog('silent'), options)
  t.after(() => replica.close())
  await until('it is fresh', () => replica.isFresh())
  const slow = () => replica.pool.query(`SET statement_timeout = 50; SELECT pg_sleep(10)`)
  await rejects(
    replica.read<unknown>(slow, async () => ok(false)),
    { code: '57014' },
  )
  const writes = () => replica.pool.query('CREATE TABLE written ()')
  equal(await replica.read<unknown>(writes, async () => 'by the primary'), 'by the primary')
  ok(replica.isFresh())
})

test('a replica is not fresh for long if nobody can find out how far behind it is', async (t) => {
  const pair = await startPostgresPair(t)
  const pool = new pg.Pool({ connectionString: pair.urls[0] })
  // The database is stopped before it.
  pool.on('error', () => {})
  t.after(() => pool.end())
  let isFrozen = false
  const query = (text: string) => (isFrozen ? new Promise(() => {}) : pool.query(text))
  const options = { connections: 2, searchConnections: 1, maxLagSeconds: 2 }
  const replica = openReplica(pair.urls[1], { query } as unknown as pg.Pool, createLog('silent'), options)
  t.after(() => replica.close())
  await until('it is fresh', () => replica.isFresh())
  isFrozen = true
  await until('it is not', () => !replica.isFresh())
})

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Market, openMarket, sells } from '../../payments/market.fixture.ts'
import { picture, zip } from '../../uploads/uploads.fixture.ts'
import { fundedSeed } from '../funded-seed.ts'
import { until } from '../until.ts'
import { cliFor, preload, program } from './cli.fixture.ts'

/** An agent's program starts `pennypost mcp`, and connects the official client to it. */
async function startAgent(t: TestContext, market: Market, mode: 'legacy' | 'modern') {
  const { world, network, creator } = market
  const { folder, address } = await cliFor(t, world)
  const allowed = join(folder, 'posts')
  await mkdir(allowed)
  await writeFile(join(allowed, 'engine.png'), await picture())
  await writeFile(join(allowed, 'engines.zip'), zip({ 'readme.txt': 'hello' }))
  await writeFile(join(folder, 'secret.png'), await picture())
  await writeFile(join(folder, 'seed'), await fundedSeed(market.network), { mode: 0o600 })
  const transport = new StdioClientTransport({
    command: process.execPath,
    // No shell puts the home folder in place of ~ here.
    args: [program, 'mcp', '--max', '0.3XNO', '--daily', '0.4XNO', '--folder', '~/posts'],
    cwd: folder,
    env: {
      PATH: process.env.PATH!,
      HOME: folder,
      NODE_NO_WARNINGS: '1',
      NODE_OPTIONS: `--import=${preload(world.origin, address)}`,
      PENNYPOST_CONFIG_DIR: join(folder, 'config'),
      PENNYPOST_URL: world.origin,
      PENNYPOST_ALLOW_HTTP: '1',
      PENNYPOST_KEY: creator.publisher.token!,
      PENNYPOST_NANO_SEED_FILE: '~/seed',
      PENNYPOST_NANO_NODE: network.rpcUrl,
    },
  })
  const negotiation = mode === 'legacy' ? mode : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: negotiation } })
  await client.connect(transport)
  t.after(() => client.close())
  await client.listTools()
  // biome-ignore lint/suspicious/noExplicitAny: tests take replies apart; the client has checked them against their schemas
  const calls = (name: string, input: object = {}): Promise<any> =>
    client.callTool({ name, arguments: input as Record<string, unknown> })
  return { client, calls, pid: transport.pid! }
}

/** Runs the jobs of the service while something waits for them. */
async function meanwhile<Result>({ world }: Market, waiting: Promise<Result>): Promise<Result> {
  let isOver = false
  const done = waiting.finally(() => {
    isOver = true
  })
  done.catch(() => {})
  while (!isOver) {
    await world.runJobs()
    await wait(20)
  }
  return done
}

test("an agent on the user's machine buys within the limits and uploads from allowed folders", async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { postId, creator } = market
  const { calls, client, pid } = await startAgent(t, market, 'modern')
  equal((await calls('read_post', { postId })).structuredContent.access, 'preview')
  const bought = await calls('buy_post', { postId })
  equal(bought.isError, undefined, JSON.stringify(bought.content))
  match(bought.structuredContent.untrusted.markdown, /the-secret-part/)
  equal(bought.structuredContent.paid.amount, '0.25')
  // The next ones are within the limit for a payment, but not within that of the day, also at the same time.
  const others = await Promise.all([1, 2, 3].map(() => sells(creator)))
  for (const { content } of await Promise.all(others.map((other) => calls('buy_post', { postId: other }))))
    match(content[0].text, /spending-limit/)
  // Four tips of 0.05 in one moment: three fit. The same id, however long, is the same tip.
  const tip = (requestId: string) => calls('tip', { postId, amount: '0.05', asset: 'XNO', requestId })
  const ids = ['a', 'b', 'c', 'd'].map((letter) => letter.padEnd(100, '%'))
  const sent = await meanwhile(market, Promise.all([...ids, ids[0]!].map(tip)))
  const tips = sent.flatMap(({ structuredContent }) => structuredContent?.tipId ?? [])
  equal(new Set(tips).size, 3, JSON.stringify(sent))
  const me = (await calls('whoami')).structuredContent
  deepEqual([me.wallet.spent.XNO, me.account.credential], ['0.4', 'publishing-key'])
  const draft = (
    await calls('save_draft', { title: 'Pictures', paidMarkdown: 'Files', price: { amount: '1', asset: 'XNO' } })
  ).structuredContent
  const upload = { postId: draft.postId, name: 'engine', path: 'engine.png' }
  const image = await meanwhile(market, calls('upload_image', upload))
  deepEqual([image.structuredContent?.state, image.structuredContent?.markdown], ['ready', '![](image:engine)'])
  const attached = await meanwhile(market, calls('attach_zip', { postId: draft.postId, path: 'engines.zip' }))
  equal(attached.structuredContent?.state, 'ready', JSON.stringify(attached.content))
  for (const path of ['../secret.png', '/etc/passwd'])
    match((await calls('upload_image', { ...upload, path })).content[0].text, /allowed/)
  match((await calls('library')).content[0].text, /pennypost login/)

  // It ends with its client.
  await client.close()
  const hasEnded = () => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  }
  await until('the program has ended', async () => hasEnded())
  await market.later(10)
})

test('it speaks the revision with a handshake as well', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { calls, client } = await startAgent(t, market, 'legacy')
  equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
  equal((await calls('quote_post', { postId: market.postId })).structuredContent.prices[0].amount, '0.25')
})

test('there is no paying without a limit for the day', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const cli = await cliFor(t, market.world)
  const { exitCode, stderr } = await cli(['mcp', '--max', '1XNO'])
  equal(exitCode, 2)
  ok(stderr.includes('--daily'), stderr)
  const wrong = await cli(['mcp', '--folder', '~/nowhere'])
  equal(wrong.exitCode, 2)
  match(wrong.stderr, /there is no folder .*\/nowhere/)
})

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openUsdcMarket } from '../../access/x402/usdc-market.fixture.ts'
import { openMarket, sells, xno } from '../../payments/market.fixture.ts'
import { hasAnvil } from '../base-chain.ts'
import { fundedSeed } from '../funded-seed.ts'
import { type Cli, cliFor, preload, type RunningCli } from './cli.fixture.ts'

/** A market, and a reader with a funded Nano wallet in a file. */
async function reader(t: TestContext) {
  const market = await openMarket(t, { isolation: 'own' })
  const seed = await fundedSeed(market.network)
  const cli = await cliFor(t, market.world, {
    PENNYPOST_NANO_SEED_FILE: 'seed',
    PENNYPOST_NANO_NODE: market.network.rpcUrl,
  })
  await writeFile(join(cli.folder, 'seed'), `${seed}\n`, { mode: 0o600 })
  return { market, cli, seed }
}

test('finding, reading, buying and tipping with Nano; nothing is paid twice', async (t) => {
  const { market, cli, seed } = await reader(t)
  const { postId, world } = market
  await world.runJobs()
  const found = await cli(['search', 'engines', '--json'])
  deepEqual(
    found.json.posts.map(({ id }: { id: string }) => id),
    [postId],
  )
  const free = await cli(['read', postId])
  match(free.stderr, /The rest costs 0\.25 XNO/)
  ok(!free.stdout.includes('the-secret-part'))
  equal((await cli(['read', postId, '--full'])).exitCode, 5)
  const url = `${cli.url}/posts/${postId}`
  // Too expensive, without a limit, without a wallet: nothing is signed.
  const over = await cli(['buy', url, '--max', '0.2XNO', '--json'])
  deepEqual([over.exitCode, over.json.error.code], [5, 'spending-limit'])
  equal((await cli(['buy', url])).exitCode, 5)
  equal((await cli(['buy', url, '--max', '0.25XNO'], { env: { PENNYPOST_NANO_SEED_FILE: '' } })).exitCode, 5)
  equal((await cli(['buy', url, '--max', '1XNO'], { env: { PENNYPOST_DAILY_LIMIT: '0.1XNO' } })).exitCode, 5)
  equal((await cli(['buy', url, '--max', 'much'])).exitCode, 2)
  equal((await cli(['buy', 'https://other.example/posts/x', '--max', '1XNO'])).exitCode, 2)
  equal((await cli(['buy', '00000000-0000-4000-8000-000000000000', '--max', '1XNO'])).exitCode, 4)
  // Two at the same time pay once.
  const both = await Promise.all([1, 2].map(() => cli(['buy', url, '--max', '0.25XNO', '--json'])))
  for (const { exitCode, stderr } of both) equal(exitCode, 0, stderr)
  deepEqual(both.map(({ json }) => json.paid).sort(), [false, true])
  equal(new Set(both.map(({ json }) => json.payment.transaction)).size, 1)
  match((await cli(['buy', postId, '--max', '0.25XNO'])).stdout, /^You paid before: 0\.25 XNO/)
  match((await cli(['read', postId])).stdout, /the-secret-part/)
  // A limit for the day counts what was spent before it was set.
  const daily = { env: { PENNYPOST_DAILY_LIMIT: '0.3XNO' } }
  equal((await cli(['tip', postId, '0.06XNO'], daily)).exitCode, 5)
  const tips = await Promise.all([1, 2].map(() => cli(['tip', postId, '0.01XNO', '--json'])))
  deepEqual(tips.map(({ json }) => json.paid).sort(), [false, true])
  const again = await cli(['tip', postId, '0.01XNO', '--again', '--json'])
  equal(again.json.paid, true)
  const store = join(cli.folder, 'config/profiles/default/sites')
  const [site] = await readdir(store)
  const spent = JSON.parse(await readFile(join(store, site!, 'store', 'spending.json'), 'utf8'))
  equal(
    Object.values(spent.XNO as Record<string, string>).reduce((sum, units) => sum + BigInt(units), 0n),
    (xno * 27n) / 100n,
  )
  for (const { stdout, stderr } of [free, over, ...both, ...tips]) ok(!(stdout + stderr).includes(seed))
  await market.later(10)
})

/** For a program to which the reply to its payment never comes. */
const losesReply = (cli: Cli) => {
  const script = `const { fetch } = globalThis
globalThis.fetch = async (input, init) => {
  const reply = await fetch(input, init)
  if (!new Headers(init?.headers).has('payment-signature')) return reply
  process.stderr.write('the reply is lost')
  return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason)))
}`
  const lost = `data:text/javascript,${encodeURIComponent(script)}`
  return { NODE_OPTIONS: `--import=${preload(cli.url, cli.address)} --import=${lost}` }
}

test('a payment whose outcome is unknown is exit code 6, and the same command sends the same bytes', async (t) => {
  const { market, cli } = await reader(t)
  let paid = 0n
  for (const [signal, exitCode] of [
    ['SIGINT', 6],
    ['SIGKILL', null],
  ] as const) {
    const postId = await sells(market.creator)
    const args = ['buy', postId, '--max', '0.25XNO', '--json']
    let isStopped = false
    const stopsThere = async ({ stderr, kill }: RunningCli) => {
      await market.world.runJobs()
      if (isStopped || !stderr.includes('the reply is lost')) return
      isStopped = true
      kill(signal)
    }
    const interrupted = await cli(args, { meanwhile: stopsThere, env: losesReply(cli) })
    equal(interrupted.exitCode, exitCode, interrupted.stderr)
    if (exitCode === 6) match(interrupted.stderr, /"code":"payment-uncertain".*Run the same command again/)
    const done = await cli(args)
    equal(done.exitCode, 0, done.stderr)
    // It is the payment that was signed first, and nothing else was paid.
    deepEqual([done.json.paid, done.json.payment.amount], [false, '0.25'])
    paid += xno / 4n
    const { balance } = (await market.network.client.accountInfo(done.json.payment.payer))!
    equal(balance, xno - paid)
  }
  await market.later(10)
})

test('buying with USDC', { skip: !hasAnvil }, async (t) => {
  const market = await openUsdcMarket(t, { isolation: 'own' })
  const cli = await cliFor(t, market.world, { PENNYPOST_BASE_KEY_FILE: 'key' })
  const { privateKey } = await market.fundedWallet()
  await writeFile(join(cli.folder, 'key'), privateKey, { mode: 0o600 })
  const { json, exitCode, stderr } = await cli(['buy', market.postId, '--max', '0.30USDC', '--json'])
  equal(exitCode, 0, stderr)
  deepEqual(
    [json.paid, json.payment.amount, json.payment.asset, json.payment.receiptVerified],
    [true, '0.25', 'USDC', true],
  )
  equal(json.post.paidContentMarkdown, 'the-secret-part')
  await market.later(10)
})

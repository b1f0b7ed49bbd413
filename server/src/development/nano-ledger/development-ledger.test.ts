import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../platform/clock.ts'
import { createNodeClient } from '../../rails/nano/node/node-client.ts'
import { createRpcEndpoint } from '../../rails/nano/node/rpc-endpoint.ts'
import { openWorkSource } from '../../rails/nano/work/work-source.ts'
import { freePort } from '../../test/free-port.ts'
import { testLog } from '../../test/nano-network.ts'
import { until } from '../../test/until.ts'
import { type DevelopmentLedger, openDevelopmentLedger } from './development-ledger.ts'
import { createFaucet } from './faucet.ts'
import { genesisAccount } from './genesis.ts'

const clock = systemClock()
const shop = 'nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-ledger-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  // Between two lives of a test's server nothing else takes this port: the system hands it to nobody.
  await writeFile(join(folder, 'port'), String(await freePort()))
  return folder
}

function use({ rpcUrl }: Pick<DevelopmentLedger, 'rpcUrl'>) {
  const client = createNodeClient([createRpcEndpoint({ url: rpcUrl, clock, log: testLog, timeoutMs: 5_000 })])
  return { client, faucet: createFaucet(client, openWorkSource({ server: undefined, log: testLog })) }
}

test('after a restart the ledger has the same port and blocks', async (t) => {
  const folder = await folderFor(t)
  const first = await openDevelopmentLedger({ folder, clock })
  const hashes = [await use(first).faucet.send(shop, 5n), await use(first).faucet.send(shop, 7n)]
  const before = await use(first).client.accountInfo(genesisAccount)
  await first.close()

  const second = await openDevelopmentLedger({ folder, clock })
  t.after(() => second.close())
  equal(second.rpcUrl, first.rpcUrl)
  const { client, faucet } = use(second)
  equal((await client.accountInfo(genesisAccount))!.frontier, before!.frontier)
  deepEqual(
    (await client.receivable(shop, 1n)).map(({ hash }) => hash),
    hashes.toReversed(),
  )
  await faucet.send(shop, 9n)
  equal((await client.blockInfo(hashes[0]!))!.isConfirmed, true)
})

test('everything that was confirmed to a client survives an immediate kill -9', async (t) => {
  const folder = await folderFor(t)
  const confirmed: string[] = []
  for (let life = 0; life < 3; life += 1) {
    const child = fork(fileURLToPath(new URL('./ledger-process.fixture.js', import.meta.url)), [folder])
    const [rpcUrl] = (await once(child, 'message')) as [string]
    const { faucet } = use({ rpcUrl })
    // Two in parallel, so that one is in progress when the other gets its reply.
    await Promise.race([faucet, use({ rpcUrl }).faucet].map(async ({ send }) => confirmed.push(await send(shop, 5n))))
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const ledger = await openDevelopmentLedger({ folder, clock })
  t.after(() => ledger.close())
  const { client, faucet } = use(ledger)
  const stored = new Set((await client.receivable(shop, 1n)).map(({ hash }) => hash))
  for (const hash of confirmed) ok(stored.has(hash), hash)
  ok(stored.size >= 3)
  await faucet.send(shop, 1n)
})

test('a torn last record is dropped, at any byte', async (t) => {
  const folder = await folderFor(t)
  const first = await openDevelopmentLedger({ folder, clock })
  const stored = await use(first).faucet.send(shop, 1n)
  const wholeBytes = (await stat(join(folder, 'blocks'))).size
  const torn = await use(first).faucet.send(shop, 2n)
  await first.close()
  const file = await readFile(join(folder, 'blocks'))

  for (const bytes of [wholeBytes + 1, wholeBytes + 9, file.length - 2, file.length - 1]) {
    await writeFile(join(folder, 'blocks'), file)
    await truncate(join(folder, 'blocks'), bytes)
    const ledger = await openDevelopmentLedger({ folder, clock })
    const { client, faucet } = use(ledger)
    equal((await client.accountInfo(genesisAccount))!.frontier, stored)
    equal(await client.blockInfo(torn), undefined)
    await faucet.send(shop, 3n)
    await ledger.close()
    // Records written after the repair can be read again.
    const reopened = await openDevelopmentLedger({ folder, clock })
    equal((await use(reopened).client.receivable(shop, 1n)).length, 2)
    await reopened.close()
  }
})

test('a file that was changed in the middle stops the start', async (t) => {
  const folder = await folderFor(t)
  const first = await openDevelopmentLedger({ folder, clock })
  await use(first).faucet.send(shop, 1n)
  await first.close()
  const path = join(folder, 'blocks')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('"balance":"3', '"balance":"2'))
  await appendFile(path, text)
  await rejects(openDevelopmentLedger({ folder, clock }), { name: 'StartError', message: /blocks is damaged/ })
})

test('if its port is taken, it chooses another and announces it', async (t) => {
  const folder = await folderFor(t)
  const first = await openDevelopmentLedger({ folder, clock })
  await first.close()
  const squatter = createServer().listen(Number(new URL(first.rpcUrl).port), '127.0.0.1')
  await once(squatter, 'listening')
  t.after(() => squatter.close())
  const second = await openDevelopmentLedger({ folder, clock })
  t.after(() => second.close())
  notEqual(second.rpcUrl, first.rpcUrl)
  ok(await use(second).faucet.send(shop, 1n))
})

test('a second process uses the ledger of the first', async (t) => {
  const folder = await folderFor(t)
  const first = await openDevelopmentLedger({ folder, clock })
  const second = await openDevelopmentLedger({ folder, clock })
  equal(second.rpcUrl, first.rpcUrl)
  equal(second.node, undefined)
  const hash = await use(second).faucet.send(shop, 1n)
  ok(await use(first).client.blockInfo(hash))
  await second.close()
  ok(await use(first).client.blockInfo(hash))
  await first.close()
})

test('when the process that runs it ends, another takes over', async (t) => {
  const folder = await folderFor(t)
  const first = await openDevelopmentLedger({ folder, clock })
  const others = [await openDevelopmentLedger({ folder, clock }), await openDevelopmentLedger({ folder, clock })]
  t.after(() => Promise.all(others.map((other) => other.close())))
  const hash = await use(first).faucet.send(shop, 1n)
  await first.close()
  await until('another takes over', () => others.some(({ node }) => node))
  for (const other of others) {
    ok(await use(other).client.blockInfo(hash))
    ok(await use(other).faucet.send(shop, 1n))
  }
  equal(others.filter(({ node }) => node).length, 1)
})

test('parallel sends all arrive, although they share one account', async (t) => {
  const ledger = await openDevelopmentLedger({ folder: await folderFor(t), clock, confirmAfterMs: 0 })
  t.after(() => ledger.close())
  const faucets = [use(ledger).faucet, use(ledger).faucet]
  const sends = Array.from({ length: 12 }, (_, index) => faucets[index % 2]!.send(shop, BigInt(index + 1)))
  equal(new Set(await Promise.all(sends)).size, 12)
  await rejects(faucets[0]!.send(shop, 2n ** 128n - 1n), { name: 'FaucetEmpty' })
  match(ledger.wsUrl, /^ws:\/\/127\.0\.0\.1:/)
})

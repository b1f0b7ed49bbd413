import { equal, notEqual, ok, rejects } from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { movableClock, systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { hasAnvil, minedReceipt } from '../../test/base-chain.ts'
import { createBaseWallet } from '../../test/base-wallet.ts'
import { freePort } from '../../test/free-port.ts'
import { until } from '../../test/until.ts'
import { callAnvil } from './anvil.ts'
import { findAnvil } from './anvil-program.ts'
import { type DevelopmentChain, openDevelopmentChain } from './development-chain.ts'

const skip = !hasAnvil
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const log = createLog('silent')
const { address: ada } = createBaseWallet()

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-chain-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  // Between two lives of a test's server nothing else takes this port: the system hands it to nobody.
  await writeFile(join(folder, 'port'), String(await freePort()))
  return folder
}

const open = async (folder: string, clock = systemClock()): Promise<DevelopmentChain> =>
  openDevelopmentChain({ program: (await findAnvil())!, folder, usdc, clock, log })

async function balanceAt(rpcUrl: string): Promise<bigint> {
  const data = `0x70a08231${ada.slice(2).padStart(64, '0')}`
  return BigInt(String(await callAnvil(rpcUrl, 'eth_call', [{ to: usdc, data }, 'latest'])))
}

/** A process that runs the chain and can be killed. */
async function keeperOf(t: TestContext, folder: string) {
  const child: ChildProcess = fork(fileURLToPath(new URL('./chain-process.fixture.js', import.meta.url)), [
    folder,
    usdc,
  ])
  t.after(() => child.kill('SIGKILL'))
  const [said] = (await once(child, 'message')) as [{ rpcUrl: string; anvilPid: number }]
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { ...said, kill }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('after a restart the chain has the same port, state and receipts', { skip }, async (t) => {
  const folder = await folderFor(t)
  const first = await open(folder)
  const hash = await first.mint(ada, 5n)
  await first.close()
  ok(!isAlive(first.anvilPid!))

  const second = await open(folder)
  t.after(() => second.close())
  equal(second.rpcUrl, first.rpcUrl)
  equal(await balanceAt(second.rpcUrl), 5n)
  equal((await minedReceipt(second.call, hash)).status, '0x1')
  await second.mint(ada, 7n)
  equal(await balanceAt(second.rpcUrl), 12n)
})

test('a mined transaction survives an immediate kill -9, and nothing is left running', { skip }, async (t) => {
  const folder = await folderFor(t)
  for (let life = 1; life <= 3; life += 1) {
    const keeper = await keeperOf(t, folder)
    const { ask } = { ask: (method: string, ...params: unknown[]) => callAnvil(keeper.rpcUrl, method, params) }
    const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    const data = `0x40c10f19${ada.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const hash = await ask('eth_sendTransaction', { from, to: usdc, data, gas: '0x30d40' })
    await minedReceipt(ask, hash)
    await keeper.kill()
    if (life === 1) await until('anvil ends', () => !isAlive(keeper.anvilPid))
  }
  const chain = await open(folder)
  t.after(() => chain.close())
  equal(await balanceAt(chain.rpcUrl), 3n)
})

test('when anvil is killed, it is restarted from the state of the last second', { skip }, async (t) => {
  const folder = await folderFor(t)
  const chain = await open(folder)
  t.after(() => chain.close())
  await chain.mint(ada, 5n)
  const saved = async () => JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')).best_block_number as string
  const reached = await chain.call('eth_blockNumber')
  await until('the chain is saved', async () => Number(await saved()) >= Number(reached))
  const killed = chain.anvilPid!
  process.kill(killed, 'SIGKILL')
  await until('anvil is started again', () => chain.anvilPid !== killed)
  equal(await balanceAt(chain.rpcUrl), 5n)
})

test('an incomplete state file is not read', { skip }, async (t) => {
  const folder = await folderFor(t)
  const first = await open(folder)
  await first.mint(ada, 5n)
  await first.close()
  const whole = await readFile(join(folder, 'state.json'))
  for (const bytes of [0, 1, whole.length - 1]) {
    await writeFile(join(folder, 'state-at-end.json'), whole)
    await truncate(join(folder, 'state-at-end.json'), bytes)
    const chain = await open(folder)
    equal(await balanceAt(chain.rpcUrl), 5n)
    await chain.close()
  }
})

test('if its port is taken, it chooses another', { skip }, async (t) => {
  const folder = await folderFor(t)
  const first = await open(folder)
  await first.close()
  const squatter = createServer().listen(Number(new URL(first.rpcUrl).port), '127.0.0.1')
  await once(squatter, 'listening')
  t.after(() => squatter.close())
  const second = await open(folder)
  t.after(() => second.close())
  notEqual(second.rpcUrl, first.rpcUrl)
  await second.mint(ada, 1n)
})

test('a second process uses the chain of the first, and takes over when that ends', { skip }, async (t) => {
  const folder = await folderFor(t)
  const keeper = await keeperOf(t, folder)
  const follower = await open(folder)
  t.after(() => follower.close())
  equal(follower.rpcUrl, keeper.rpcUrl)
  equal(follower.anvilPid, undefined)
  await follower.mint(ada, 1n)
  await keeper.kill()
  await until('the follower takes over', () => follower.anvilPid !== undefined)
  equal(await balanceAt(follower.rpcUrl), 1n)
  await follower.mint(ada, 1n)
})

test('the chain’s time follows the service’s clock, also after a restart', { skip }, async (t) => {
  const folder = await folderFor(t)
  const clock = await movableClock()
  const first = await open(folder, clock)
  await clock.advance(86_400_000)
  const seconds = async (chain: DevelopmentChain) =>
    Number(((await chain.call('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }).timestamp)
  const isNow = async (chain: DevelopmentChain) => Math.abs((await seconds(chain)) - clock.now().getTime() / 1000) < 20
  ok(await isNow(first))
  await first.close()
  const second = await open(folder, clock)
  t.after(() => second.close())
  ok(await isNow(second))
})

test('twenty parallel mints all succeed', { skip }, async (t) => {
  const chain = await open(await folderFor(t))
  t.after(() => chain.close())
  const hashes = await Promise.all(Array.from({ length: 20 }, () => chain.mint(ada, 3n)))
  equal(new Set(hashes).size, 20)
  equal(await balanceAt(chain.rpcUrl), 60n)
})

test('a folder that anvil cannot read stops the start with a clear message', { skip }, async (t) => {
  const folder = await folderFor(t)
  await writeFile(join(folder, 'state.json'), '{"best_block_number":"0x1"}')
  await rejects(open(folder), { name: 'StartError', message: /Remove that folder/ })
})

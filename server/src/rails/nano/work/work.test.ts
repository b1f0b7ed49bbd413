import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { type TestContext, test } from 'node:test'
import { upperHex } from '@pennypost/nano/hex'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { systemClock } from '../../../platform/clock.ts'
import { createFaultyNode } from '../../../test/faulty-node.ts'
import { openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { until } from '../../../test/until.ts'
import { createNodeClient } from '../node/node-client.ts'
import { createRpcEndpoint } from '../node/rpc-endpoint.ts'
import { openWorkSource } from './work-source.ts'
import { createWorkThreads, type WorkOptions } from './work-threads.ts'

const someRoot = () => upperHex(randomBytes(32))
// A sixteenth of the work for a receive on the live network, to save time.
const modest = 0xffff_e000_0000_0000n
const unreachable = 2n ** 64n - 1n

function threadsFor(t: TestContext, count?: number, idleMs?: number) {
  const threads = createWorkThreads(count, idleMs)
  t.after(() => threads.close())
  return threads
}

test('threads find work for several roots, one after another', async (t) => {
  const threads = threadsFor(t)
  const roots = [someRoot(), someRoot(), someRoot()]
  const found = await Promise.all(roots.map((root) => threads.generate(root, modest)))
  for (const [index, work] of found.entries()) ok(isWorkEnough(roots[index]!, work, modest))
})

test('a search can be cancelled while it runs or waits, and the next one continues', async (t) => {
  const threads = threadsFor(t, 2)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = threads.generate(someRoot(), unreachable, { signal: running.signal })
  const second = threads.generate(someRoot(), unreachable, { signal: waiting.signal })
  const root = someRoot()
  const third = threads.generate(root, modest)
  waiting.abort(new Error('no longer wanted'))
  running.abort(new Error('paid already'))
  await rejects(first, { message: 'paid already' })
  await rejects(second, { message: 'no longer wanted' })
  ok(isWorkEnough(root, await third, modest))
  const before = AbortSignal.abort(new Error('before it began'))
  await rejects(threads.generate(root, modest, { signal: before }), /before it began/)
})

test('work in advance is interrupted for urgent work, and found later', async (t) => {
  const threads = threadsFor(t, 2)
  const order: string[] = []
  const ended = new AbortController()
  const search = (name: string, threshold: bigint, options: WorkOptions) =>
    threads.generate(someRoot(), threshold, options).then(() => order.push(name))
  const endless = rejects(search('endless', unreachable, { isAhead: true, signal: ended.signal }), /enough/)
  const ahead = search('ahead', modest, { isAhead: true })
  await Promise.all([search('paid', modest, {}), search('paid too', modest, {})])
  deepEqual(order, ['paid', 'paid too'])
  ended.abort(new Error('enough'))
  await Promise.all([endless, ahead])
  deepEqual(order, ['paid', 'paid too', 'ahead'])
})

test('closing cancels the running search, and nothing is computed afterwards', async () => {
  const threads = createWorkThreads(2)
  const search = threads.generate(someRoot(), unreachable)
  const ended = rejects(search, { message: 'work is no longer computed' })
  await threads.close()
  await ended
  await rejects(threads.generate(someRoot(), modest), { message: 'work is no longer computed' })
})

// With `nice`, all threads have the lowest priority that there is, and those that search cannot be told from others.
const onlyLinux = { skip: process.platform !== 'linux' || getPriority() >= 9 }

const isLow = (id: string): boolean => {
  try {
    const nice = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]
    // Threads that render Markdown have a lower priority.
    return Number(nice) === Math.min(19, getPriority() + 10)
  } catch {
    return false // it ended in the meantime
  }
}
const lowThreads = (): number => readdirSync('/proc/self/task').filter(isLow).length

test('idle threads end, and start again when needed', onlyLinux, async (t) => {
  const threads = threadsFor(t, 1, 1)
  for (let turn = 0; turn < 2; turn += 1) {
    const root = someRoot()
    ok(isWorkEnough(root, await threads.generate(root, modest), modest))
    // Those of earlier tests end, too.
    await until('there is no thread left', () => lowThreads() === 0)
  }
})

test('threads search at low priority, unlike the rest of the process', onlyLinux, async (t) => {
  const threads = threadsFor(t, 2)
  await until('the threads of earlier tests end', () => lowThreads() === 0)
  await threads.generate(someRoot(), modest)
  equal(lowThreads(), 2)
})

async function withServer(t: TestContext) {
  const network = await openNanoNetwork(t)
  const faultyNode = await createFaultyNode(t, network)
  const endpoint = createRpcEndpoint({ url: faultyNode.rpcUrl, clock: systemClock(), log: testLog, timeoutMs: 2_000 })
  const work = openWorkSource({ server: createNodeClient([endpoint]), log: testLog })
  t.after(() => work.close())
  return { faultyNode, work }
}

test('the configured work server is used first', async (t) => {
  const { faultyNode, work } = await withServer(t)
  const root = someRoot()
  ok(isWorkEnough(root, await work.generate(root, workThresholds.dev.send), workThresholds.dev.send))
  equal(faultyNode.requests.join(), 'work_generate')
})

test('if the work server lies, fails or does not reply, this machine computes the work', async (t) => {
  const { faultyNode, work } = await withServer(t)
  const root = someRoot()
  const threshold = workThresholds.dev.send
  const tooWeak = (reply: object) => ({ ...reply, work: '0000000000000001' })
  for (const fault of [tooWeak, 'silent', 'drop', 'garbage', 'busy', 'bad-gateway'] as const) {
    faultyNode.always('work_generate', fault)
    ok(isWorkEnough(root, await work.generate(root, threshold), threshold), String(fault))
  }
  // More difficult than the server accepts: it refuses, and the threads compute it.
  faultyNode.heal()
  ok(isWorkEnough(root, await work.generate(root, modest), modest))
})

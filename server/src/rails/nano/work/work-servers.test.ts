import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { upperHex } from '@pennypost/nano/hex'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { createWorkSearch } from '@pennypost/nano/work-search'
import { systemClock } from '../../../platform/clock.ts'
import { testLog } from '../../../test/nano-network.ts'
import { until } from '../../../test/until.ts'
import { createWorkServers } from './work-servers.ts'
import { openWorkSource } from './work-source.ts'

const threshold = workThresholds.dev.send
const someRoot = () => upperHex(randomBytes(32))

type Reply = 'work' | 'wrong work' | 'nothing' | 'an error'

/** A work server, with a list of what it was asked for. */
async function workServer(t: TestContext, reply: Reply) {
  const asked: string[] = []
  const search = await createWorkSearch()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { action, hash } = JSON.parse(text) as { action: string; hash: string }
    asked.push(`${action} ${hash}`)
    if (action === 'work_cancel') return void response.end('{}')
    if (reply === 'nothing') return
    if (reply === 'an error') return void response.writeHead(402).end('Payment Required')
    const work = reply === 'work' ? search(hash, threshold, 0n, 1 << 20) : '0000000000000000'
    response.end(JSON.stringify({ work }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const serversFor = (...servers: { readonly url: string }[]) =>
  createWorkServers({ urls: servers.map(({ url }) => url), clock: systemClock(), log: testLog, timeoutMs: 5_000 })

test('the first valid work wins, and the servers that still search are told to stop', async (t) => {
  const [silent, liar, good] = [
    await workServer(t, 'nothing'),
    await workServer(t, 'wrong work'),
    await workServer(t, 'work'),
  ]
  const root = someRoot()
  const work = await serversFor(silent, liar, good).generateWork(root, threshold)
  ok(isWorkEnough(root, work, threshold))
  await until('the silent one is told', () => silent.asked.includes(`work_cancel ${root}`))
  deepEqual(good.asked, [`work_generate ${root}`])
})

test('work that is no longer wanted is stopped everywhere', async (t) => {
  const silent = [await workServer(t, 'nothing'), await workServer(t, 'nothing')]
  const root = someRoot()
  const gone = new AbortController()
  const searching = serversFor(...silent).generateWork(root, threshold, { signal: gone.signal })
  await until('both search', () => silent.every(({ asked }) => asked.length === 1))
  gone.abort(new Error('paid already'))
  await rejects(searching)
  await until('both are told', () => silent.every(({ asked }) => asked.includes(`work_cancel ${root}`)))
})

test('a server that keeps failing is left out for a while; if all fail, this machine computes', async (t) => {
  const [broken, good] = [await workServer(t, 'an error'), await workServer(t, 'work')]
  const both = serversFor(broken, good)
  const soleBroken = serversFor(broken)
  const source = openWorkSource({ server: soleBroken, log: testLog })
  t.after(() => source.close())
  for (let turn = 0; turn < 3; turn += 1) await rejects(soleBroken.generateWork(someRoot(), threshold), /402/)
  const before = broken.asked.length
  await rejects(soleBroken.generateWork(someRoot(), threshold), /no work server can be used now/)
  equal(broken.asked.length, before)
  const root = someRoot()
  ok(isWorkEnough(root, await source.generate(root, threshold), threshold))
  for (let turn = 0; turn < 6; turn += 1) await both.generateWork(someRoot(), threshold)
  equal(good.asked.filter((each) => each.startsWith('work_generate')).length, 6)
})

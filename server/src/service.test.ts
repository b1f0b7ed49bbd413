import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import { readConfig } from './config.ts'
import { withClient } from './platform/backup/tables.ts'
import { createLog } from './platform/log.ts'
import { startService } from './service.ts'
import { freePort } from './test/free-port.ts'
import { folderFor, startProcess } from './test/service-process.ts'
import { cloneTestDatabase, emptyTestDatabase } from './test/test-database.ts'
import { until } from './test/until.ts'

// The service as a process, started and ended as an operator would; more of it in service.slow.test.ts.

test('it starts, serves, remembers its clock, says who holds the folder, and ends cleanly', async (t) => {
  const DATA_DIR = join(await folderFor(t), 'data')
  const first = await startProcess(t, { DATA_DIR })
  const client = createClient({ ...contract, ...developmentContract }, { baseUrl: first.origin })
  equal((await client.getReadiness()).status, 200)
  match(first.output(), /creating the database in .*postgres/)
  equal((await callTool(first.origin, 'search_posts')).structuredContent?.total, 0)
  const printed = /There is no administrator yet.*#token=(svcac_[\w-]+)/
  await until('the token is printed', () => printed.test(first.output()))
  const moved = await client.moveClock({ body: { advanceSeconds: 7200 } })
  const second = await startProcess(t, { DATA_DIR })
  match(second.output(), /DATA_DIR .* has been in use by process \d+ since .*http:\/\/localhost:\d+/)
  equal(second.child.exitCode, 1)
  equal(await first.end('SIGTERM'), 0)

  const again = await startProcess(t, { DATA_DIR })
  const later = createClient({ ...contract, ...developmentContract }, { baseUrl: again.origin })
  ok(Date.parse((await later.readClock()).body.now) >= Date.parse(moved.body.now))
  await until('the same token is printed again', () => printed.test(again.output()))
  equal(printed.exec(again.output())![1], printed.exec(first.output())![1])
  equal(await again.end('SIGINT'), 0)
})

test('a HOST that it cannot listen on is named, whatever the reason is', async (t) => {
  const { url, drop } = await cloneTestDatabase()
  t.after(drop)
  const settings = { DATA_DIR: await folderFor(t), DATABASE_URL: url, ROLE: 'web', HOST: 'no-host.invalid', PORT: '0' }
  await rejects(startService(readConfig(settings), createLog('silent')), {
    name: 'StartError',
    message: /^HOST, PORT: cannot listen on no-host\.invalid:0: /,
  })
})

test('it does not start on an unused database beside an embedded one that was used, and leaves both alone', async (t) => {
  const { url, drop } = await emptyTestDatabase()
  t.after(drop)
  const DATA_DIR = await folderFor(t)
  await mkdir(join(DATA_DIR, 'postgres'))
  // As another account sees the folder of the embedded one.
  await chmod(join(DATA_DIR, 'postgres'), 0o000)
  await writeFile(join(DATA_DIR, 'postgres.password'), 'secret')
  const config = readConfig({ DATA_DIR, DATABASE_URL: url, ROLE: 'web', PORT: '0' })
  await rejects(startService(config, createLog('silent')), {
    name: 'StartError',
    message:
      /^DATABASE_URL: no service has used this database yet, .* an embedded database\. Check DATABASE_URL\. .*move-database/,
  })
  await chmod(join(DATA_DIR, 'postgres'), 0o700) // so that it can be removed
  const { rows } = await withClient(url, (client) => client.query("SELECT to_regclass('migrations') AS found"))
  deepEqual([rows, await readdir(DATA_DIR)], [[{ found: null }], ['postgres', 'postgres.password']])
})

/** Calls a tool of `/mcp`. What serves it is loaded with the first call, and only here from the bundle. */
async function callTool(origin: string, name: string): Promise<{ structuredContent?: { total?: number } }> {
  const reply = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  })
  const { result } = (await reply.json()) as { result: { structuredContent?: { total?: number } } }
  return result
}

test('the OpenAPI document and the API reference are built before it listens, not by a request', async (t) => {
  const { url, drop } = await cloneTestDatabase()
  t.after(drop)
  const port = await freePort()
  const events: string[] = []
  // Both are built from the contract, so building one reads every operation.
  const { getHealth } = contract
  const watched = { enumerable: true, configurable: true }
  const get = () => {
    events.push('reads the contract')
    return getHealth
  }
  Object.defineProperty(contract, 'getHealth', { ...watched, get })
  t.after(() => Object.defineProperty(contract, 'getHealth', { ...watched, writable: true, value: getHealth }))
  const onListening = (message: unknown) => {
    const { server } = message as { server: Server }
    if ((server.address() as AddressInfo).port === port) events.push('listens')
  }
  subscribe('tracing:net.server.listen:asyncEnd', onListening)
  t.after(() => unsubscribe('tracing:net.server.listen:asyncEnd', onListening))
  const settings = { DATA_DIR: await folderFor(t), DATABASE_URL: url, ROLE: 'web', PORT: String(port) }
  const service = await startService(readConfig(settings), createLog('silent'))
  try {
    for (const path of ['/openapi.json', '/docs']) equal((await fetch(service.address + path)).status, 200)
    deepEqual(events.slice(events.indexOf('listens')), ['listens'])
  } finally {
    await service.stop()
  }
})

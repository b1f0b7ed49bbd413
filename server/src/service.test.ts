import { equal, match, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { contract, developmentContract } from '@pennypost/contract/contract'
import { createClient } from '@pennypost/sdk/client'
import { folderFor, startProcess } from './test/service-process.ts'
import { until } from './test/until.ts'

// The service as a process, started and ended as an operator would; more of it in service.slow.test.ts.

test('it starts, serves, remembers its clock, says who holds the folder, and ends cleanly', async (t) => {
  const DATA_DIR = join(await folderFor(t), 'data')
  const first = await startProcess(t, { DATA_DIR })
  const client = createClient({ ...contract, ...developmentContract }, { baseUrl: first.origin })
  equal((await client.getReadiness()).status, 200)
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

import { equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { until } from '../test/until.ts'
import { limitWork, processorTimeMs } from './work-limit.ts'

const limits = { processorMs: 20, clockMs: 100 }
const skip = process.platform !== 'linux' && 'needs /proc'

test('work that waits for a processor is not at its limit, until it has waited too long', async () => {
  let looks = 0
  const waited = limitWork({ processorMs: 20, clockMs: 60_000 }, () => (++looks < 3 ? 0 : 20))
  equal(await waited.reached, 'limit')
  ok(looks >= 3, 'looked at again after its limit had passed by the clock')
  equal(await limitWork(limits, () => 7).reached, 'machine-busy')
  equal(await limitWork({ processorMs: 1_000_000, clockMs: 50 }, () => 0).reached, 'machine-busy')
})

test('where nobody knows the processor time, the clock decides', async () => {
  equal(await limitWork(limits, () => undefined).reached, 'limit')
})

test('the processor time of a thread and of another process grows when they work', { skip }, async (t) => {
  const thread = Number(basename(readlinkSync('/proc/thread-self')))
  const before = processorTimeMs({ thread })!
  await until('this thread has worked', async () => {
    for (let n = 0; n < 1e7; n++) Math.sqrt(n)
    return processorTimeMs({ thread })! >= before + 50
  })
  const busy = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' })
  t.after(() => busy.kill('SIGKILL'))
  await until('the other process has worked', async () => processorTimeMs({ pid: busy.pid! })! >= 50)
  busy.kill('SIGKILL')
  await once(busy, 'exit')
  equal(processorTimeMs({ pid: busy.pid! }), undefined)
})

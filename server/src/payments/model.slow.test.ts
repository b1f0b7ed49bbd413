import { deepEqual } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// MODEL_RUNS asks for more of them.
const runs = process.env.MODEL_RUNS ?? '1000'

test(`${runs} generated histories: the model's money is the ledger's and the chain's`, {
  timeout: 3_600_000,
}, async (t) => {
  // In a process of its own: a test's process follows every promise, which takes a fifth of its time.
  const child = fork(fileURLToPath(new URL('./model.fixture.js', import.meta.url)), [runs])
  const exited = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  deepEqual(await exited, [0, null])
})

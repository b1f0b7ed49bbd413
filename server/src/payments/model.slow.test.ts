import { equal } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// MODEL_RUNS asks for more of them. In parts, so that the runner sees progress.
const runs = Number(process.env.MODEL_RUNS ?? '1000')
const parts = Math.ceil(runs / 250)

for (let part = 1; part <= parts; part += 1) {
  test(`generated histories, ${part} of ${parts}: the model's money is the ledger's and the chain's`, {
    timeout: 3_600_000,
  }, async (t) => {
    // In a separate process: a test's process follows every promise, which takes a fifth of its time.
    const file = fileURLToPath(new URL('./model.fixture.js', import.meta.url))
    const child = fork(file, [String(Math.ceil(runs / parts))], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
    t.after(() => child.kill('SIGKILL'))
    const [failure, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
    equal(code, 0, failure)
  })
}

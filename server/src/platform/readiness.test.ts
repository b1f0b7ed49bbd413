import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { checkReadiness, ReadinessProblem, sharedReadiness } from './readiness.ts'

test('a crowd that asks whether the service is ready shares a check, and who comes later gets a new one', async () => {
  let checks = 0
  let isUp = true
  const readiness = sharedReadiness([
    {
      name: 'database',
      required: true,
      async check() {
        checks += 1
        await new Promise(setImmediate)
        if (!isUp) throw new Error('away')
      },
    },
  ])
  await Promise.all(Array.from({ length: 500 }, readiness))
  // The first one's, and the next, which all others share.
  equal(checks, 2)
  isUp = false
  deepEqual((await readiness()).missing, ['database'])
})

test('what is wrong is explained only if it was written for everyone', async () => {
  const failing = (name: string, required: boolean, problem: Error) => ({
    name,
    required,
    check: () => Promise.reject(problem),
  })
  const { missing, degraded, details } = await checkReadiness([
    failing('database', true, new Error('connect ECONNREFUSED 10.0.0.5:5432')),
    failing('nano', false, new ReadinessProblem('node 1 is behind')),
  ])
  deepEqual([missing, degraded, details], [['database'], ['nano'], { nano: 'node 1 is behind' }])
})

import { equal, match, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { jobPlaces, jobsAtOnce, requireJobNames } from './job-places.ts'

test('an operator chooses how many jobs of a share or of one name run at the same time', () => {
  const standard = jobPlaces()
  equal(standard.all, 20)
  equal(standard.ofShare('webhooks'), 4)
  equal(standard.ofJob({ name: 'screen-upload', concurrency: 3 }), 3)
  equal(standard.ofJob({ name: 'close-order' }), 20)
  const chosen = jobPlaces(jobsAtOnce.parse('webhooks=10, move-nano-address=16'))
  equal(chosen.ofShare('webhooks'), 10)
  equal(chosen.ofJob({ name: 'move-nano-address', concurrency: 4 }), 16)
  // All shares may be full, and payouts still have their places.
  equal(chosen.all, 18 + 6 + 16)
})

test('a misspelled job is not ignored', () => {
  const jobs = [{ name: 'move-nano-address' }]
  requireJobNames(jobsAtOnce.parse('spare=1,move-nano-address=2'), jobs)
  throws(
    () => requireJobNames(jobsAtOnce.parse('payouts=2'), jobs),
    /^StartError: JOBS_AT_ONCE: there is no job or share payouts|no job or share payouts/,
  )
  match(jobsAtOnce.safeParse('webhooks=2,spare=1, webhooks=9').error!.message, /names webhooks twice/)
  for (const text of ['webhooks', 'webhooks=0', 'webhooks=1000', 'webhooks=2;spare=1', '=4'])
    equal(jobsAtOnce.safeParse(text).success, false, text)
})

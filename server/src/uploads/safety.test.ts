import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationDetails } from './operation-store.ts'
import { expiryCutoff, isEligible, isExpired } from './safety.ts'

const now = new Date('2026-11-16T12:00:00Z')
const dayMs = 24 * 3_600_000

test('an upload expires after exactly one day without progress, and only while it is receiving', () => {
  const progress_at = new Date(now.getTime() - dayMs)
  equal(isExpired({ state: 'receiving', progress_at }, now), true)
  equal(isExpired({ state: 'receiving', progress_at }, new Date(now.getTime() - 1)), false)
  equal(isExpired({ state: 'queued', progress_at }, now), false)
  equal(expiryCutoff(now).getTime(), progress_at.getTime())
})

test('an upload is eligible only if it is received, cleared, desired, not held and of the current generation', () => {
  const eligible = {
    received_at: now,
    state: 'cleared',
    desired: true,
    held: false,
    generation: 2,
    current_generation: 2,
  } as OperationDetails
  equal(isEligible(eligible), true)
  const changes: Partial<OperationDetails>[] = [
    { received_at: null },
    { state: 'checking' },
    { desired: false },
    { held: true },
    { generation: 1 },
  ]
  for (const change of changes) equal(isEligible({ ...eligible, ...change }), false, JSON.stringify(change))
})

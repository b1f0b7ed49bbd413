import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { secretsFrom } from '../platform/secrets.ts'
import { issueCapability, verifyCapability } from './part-capability.ts'

const secrets = secretsFrom('a secret for tests')
const part = { operation_id: 'ce0f1a7e-58ab-4f43-8a7c-0f0f3f4f5a6b', number: 1, generation: 2, length: 5_242_880 }
const now = new Date('2026-11-16T12:00:00Z')

test('a capability is valid for less than fifteen minutes, and for one part alone', () => {
  const { capability, expiresAt } = issueCapability(secrets, part, now)
  equal(expiresAt.getTime() - now.getTime(), 15 * 60_000)
  equal(verifyCapability(secrets, part, capability, new Date(expiresAt.getTime() - 1)), true)
  equal(verifyCapability(secrets, part, capability, expiresAt), false)
  const changes = [
    { operation_id: 'a81bc81b-dead-4e5d-abff-90865d1e13b1' },
    { number: 2 },
    { generation: 3 },
    { length: 5_242_879 },
  ]
  for (const change of changes)
    equal(verifyCapability(secrets, { ...part, ...change }, capability, now), false, JSON.stringify(change))
  equal(verifyCapability(secretsFrom('another secret'), part, capability, now), false)
  equal(verifyCapability(secrets, part, undefined, now), false)
})

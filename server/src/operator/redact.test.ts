import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createRedact } from './redact.ts'

test('secrets of settings and of files are removed, and what only looks alike stays', () => {
  const redact = createRedact(
    {
      DATABASE_URL: 'postgresql://ada:p%40ssword@db.example/pennypost',
      BASE_RPC_URL: 'https://base.example/v2/0123456789abcdefKEY,https://other.example',
      NANO_SEED: 'ab'.repeat(32),
      FACILITATOR_HEADER: 'X-API-Key: sesame-open',
      BASE_URL: 'https://pennypost.example',
      METRICS_TOKEN: '',
    },
    ['service-secret-value'],
  )
  const cases = [
    ['p%40ssword and p@ssword', '[removed] and [removed]'],
    ['postgresql://ada:other@db.example/x', 'postgresql://[removed]@db.example/x'],
    ['https://base.example/v2/0123456789abcdefKEY failed', 'https://base.example/v2/[removed] failed'],
    [
      'must look like s3://key:secret@host:port/bucket, not s3://key:other@host',
      'must look like s3://key:secret@host:port/bucket, not s3://[removed]@host',
    ],
    ['must be a URL like smtps://user:password@host:465', 'must be a URL like smtps://user:password@host:465'],
    [`seed ${'ab'.repeat(32)}`, 'seed [removed]'],
    ['key sesame-open, service-secret-value', 'key [removed], [removed]'],
    ['svcpk_abcdefghijkl_0123456789ABCDEF', 'svcpk_[removed]'],
    ['https://pennypost.example: connect ECONNREFUSED', 'https://pennypost.example: connect ECONNREFUSED'],
    [`block ${'CD'.repeat(32)} of nano_1abc`, `block ${'CD'.repeat(32)} of nano_1abc`],
  ]
  for (const [text, expected] of cases) equal(redact(text!), expected)
})

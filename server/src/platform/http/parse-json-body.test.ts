import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { parseJsonBody } from './parse-json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))
const refused = (text: string, message: RegExp) => throws(() => parse(text), { message }, text.slice(0, 40))

test('a body has at most 32 levels and 20,000 values, whatever its strings contain', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  parse(nested(32))
  refused(nested(33), /32 levels/)
  refused('['.repeat(33), /32 levels/)
  const list = (values: number) => `[${'1,'.repeat(values - 1)}1]`
  parse(list(20_000))
  refused(list(20_001), /20000 values/)
  refused(`[${'{"a":1},'.repeat(20_000)}`, /20000 values/)
  const text = `${'[{,'.repeat(30_000)}\\"`
  deepEqual(parse(JSON.stringify({ text })), { text })
})

import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { resourceOf } from './x402-replies.ts'

test('a description has 160 characters and 200 bytes at most, and no half of one', () => {
  const shown = (text: string) => resourceOf('https://example.com/', text).description
  for (const whole of ['', 'Engines', 'x'.repeat(160), 'ä'.repeat(100), '🚂'.repeat(50)]) equal(shown(whole), whole)
  equal(shown('x'.repeat(161)), `${'x'.repeat(160)}…`)
  equal(shown('ä'.repeat(101)), `${'ä'.repeat(100)}…`)
  equal(shown('🚂'.repeat(51)), `${'🚂'.repeat(50)}…`)
  equal(shown(`${'x'.repeat(158)}🚂🚂`), `${'x'.repeat(158)}🚂🚂`, '160 characters, though JavaScript counts 162')
  equal(shown(`${'x'.repeat(158)}🚂🚂🚂`), `${'x'.repeat(158)}🚂🚂…`)
})

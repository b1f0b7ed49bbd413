import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('the committed bytecode matches the Solidity source', () => {
  const script = fileURLToPath(new URL('../../../../scripts/compile-contracts.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  equal(status, 0, stderr)
})

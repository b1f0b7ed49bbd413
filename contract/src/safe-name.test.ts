import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { safeName } from './safe-name.ts'

test('a name fits into the bytes of every file system, and keeps its extension', () => {
  for (const long of ['漢'.repeat(150), '😀'.repeat(120), 'a'.repeat(500)]) {
    const name = safeName(`${long}.zip`)
    ok(Buffer.byteLength(name) <= 180, name)
    ok(name.startsWith([...long][0]!) && name.endsWith('.zip') && !name.includes('\ufffd'), name)
  }
  equal(safeName('größe.md'), 'größe.md')
  equal(safeName('a'.repeat(180)), 'a'.repeat(180))
})

test('nothing of a name leads out of its folder', () => {
  equal(safeName('../../etc/passwd'), '_.._etc_passwd')
  equal(safeName(' ...'), '_')
  equal(safeName('C:\\a\u202e\0b'), 'C__a__b')
})

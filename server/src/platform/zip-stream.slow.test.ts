import { match } from 'node:assert/strict'
import { test } from 'node:test'
import { each, options, run, skip, text, writtenTo } from './zip-stream.fixture.ts'

test('an archive may have more files than the old format can count', { skip }, async (t) => {
  const many = each(Array.from({ length: 70_000 }, (_, index) => ({ ...text(`${index}.txt`, 'x'), isStored: true })))
  const { path } = await writtenTo(t, many)
  match((await run('unzip', ['-tqq', path], options)).stdout, /^$/)
})

import { deepEqual, equal } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { folderFor } from '../test/service-process.ts'
import { readJournals } from './journal.ts'

test('a record that the disk takes only a part of is not durable', async (t) => {
  const dataDir = await folderFor(t)
  const program = `
    import { openJournal } from ${JSON.stringify(new URL('./journal.js', import.meta.url).href)}
    const journal = openJournal(${JSON.stringify(dataDir)})
    const outcomeOf = (record) => journal.append(record).then(() => 'durable', ({ code }) => code)
    console.log(await outcomeOf({ text: 'fits' }), await outcomeOf({ text: 'x'.repeat(100_000) }))`
  // A process whose files may have a few KB stands for a disk that is almost full: the system writes what fits and returns
  // how much that was.
  const limited = ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)('sh', limited)
  equal(stdout.trim(), 'durable EFBIG')
  const found: unknown[] = []
  for await (const record of readJournals(dataDir)) found.push(record)
  deepEqual(found, [{ text: 'fits' }])
})

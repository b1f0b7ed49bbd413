import { deepEqual, equal } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { folderFor } from '../test/service-process.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { runPennypost } from './pennypost.fixture.ts'

// The program itself, as a child process: options, output, exit codes. What the commands do is tested beside each of them.

test('operators use the program with settings from the environment or a file, and get JSON and exit codes', async (t) => {
  const [folder, database] = [await folderFor(t), await cloneTestDatabase()]
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
  })
  await client.query(
    `INSERT INTO accounts (id, name, handle, author_kind, created_at) VALUES (gen_random_uuid(), 'Ada', 'ada', 'human', now())`,
  )
  const settings = { DATA_DIR: join(folder, 'data'), DATABASE_URL: database.url }
  const file = join(folder, 'settings.env')
  await writeFile(file, `# settings\nDATA_DIR="${settings.DATA_DIR}"\nDATABASE_URL='${settings.DATABASE_URL}'\n`)
  const added = await runPennypost(settings, 'admin', 'add', '@ada')
  deepEqual(added, { code: 0, stdout: '@ada is now an administrator.\n', stderr: '' })
  const last = await runPennypost({}, 'admin', 'remove', 'ada', '--json', '--settings', file)
  const { error } = JSON.parse(last.stderr)
  deepEqual([last.code, last.stdout, error.code], [4, '', 'refused'])
  equal(error.message, '@ada is the only administrator.')
})

test('settings that are wrong, a database that is away and a missing file are one line, without secrets', async (t) => {
  const folder = await folderFor(t)
  const wrong = await runPennypost({ PORT: 'x' }, 'jobs', 'list')
  deepEqual([wrong.code, wrong.stderr], [1, 'Error: PORT: must be a port\n'])
  const away = { DATA_DIR: folder, DATABASE_URL: 'postgresql://ada:hunter22@127.0.0.1:1/x' }
  const { code, stderr, stdout } = await runPennypost(away, 'audit')
  deepEqual(
    [code, stdout, stderr],
    [
      1,
      '',
      'Error: connect ECONNREFUSED 127.0.0.1:1\n  Run pennypost doctor: it says which setting this server is from.\n',
    ],
  )
  const missing = await runPennypost({}, 'audit', '--settings', join(folder, 'nothing'))
  deepEqual(
    [missing.code, missing.stderr],
    [2, `Error: --settings: There is no such file or folder: ${join(folder, 'nothing')}\n`],
  )
  const held = await runPennypost({}, 'admin', 'hold', '@ada')
  deepEqual([held.code, held.stderr], [2, 'Error: Say why: --reason "…"\n'])
})

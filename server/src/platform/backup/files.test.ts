import { deepEqual, equal } from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyNewFiles } from './files.ts'

test('files are copied whole, those that are there are kept, and half of one that a killed copy left is replaced', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'pennypost-files-'))
  t.after(() => rm(root, { recursive: true }))
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  for (const folder of [join(from, 'journal'), join(to, 'journal')]) await mkdir(folder, { recursive: true })
  await writeFile(join(from, 'nano-seed'), 'the whole seed')
  await writeFile(join(from, 'journal', '1'), 'older')
  await writeFile(join(to, 'journal', '1'), 'older and newer')
  await writeFile(join(to, 'nano-seed.new'), 'the who')
  await copyNewFiles(from, to)
  equal(await readFile(join(to, 'nano-seed'), 'utf8'), 'the whole seed')
  equal((await stat(join(to, 'nano-seed'))).mode & 0o777, 0o600)
  equal(await readFile(join(to, 'journal', '1'), 'utf8'), 'older and newer')
  deepEqual((await readdir(to)).sort(), ['journal', 'nano-seed'])
})

import { deepEqual, equal, rejects } from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openArchiveFiles } from './archive-files.ts'
import { makeZip, writeArchive, writeFolder } from './archives.fixture.ts'

const open = async (t: Parameters<typeof writeArchive>[0], bytes: Buffer) =>
  openArchiveFiles(await writeArchive(t, 'a.zip', bytes))

test('files are read by name', async (t) => {
  const files = await open(t, makeZip({ 'a/b.txt': 'Hello', 'ü.md': 'x' }))
  deepEqual(files.names, ['a/b.txt', 'ü.md'])
  equal(await files.readText('a/b.txt', 100), 'Hello')
  await rejects(files.read('c', 100), /not in the archive/)
  await files.close()
})

test('a bomb is refused at the limit, whatever size it states', async (t) => {
  const bomb = Buffer.alloc(50_000_000)
  const files = await open(t, makeZip({ 'bomb.md': bomb, 'liar.md': bomb }, { 'liar.md': 10 }))
  for (const name of ['bomb.md', 'liar.md']) await rejects(files.read(name, 1_000_000), /larger than/)
  await files.close()
})

test('names that lead out of the archive name nothing', async (t) => {
  const names = ['../a', '/etc/passwd', 'a/../../b', 'C:\\x', 'a\\..\\b', 'a\0b', 'a//b', '..']
  const files = await open(t, makeZip(Object.fromEntries([...names, 'fine'].map((name) => [name, 'x']))))
  deepEqual(files.names, ['fine'])
  await files.close()
})

test('what is damaged is refused with a sentence', async (t) => {
  const zip = makeZip({ 'a.txt': 'Hello hello hello hello' })
  for (const bytes of [Buffer.alloc(0), Buffer.from('nothing'), zip.subarray(0, zip.length - 30), zip.subarray(20)])
    await rejects(
      open(t, bytes).then((files) => files.read('a.txt', 100)),
      { name: 'ArchiveError' },
    )
  const pointing = Buffer.from(zip)
  pointing.writeUInt32LE(0xfffffff0, zip.length - 6)
  await rejects(open(t, pointing), { name: 'ArchiveError' })
  // Every byte wrong once: never anything but a sentence or the file.
  for (let at = 0; at < zip.length; at += 1) {
    const broken = Buffer.from(zip)
    broken[at] = broken[at]! ^ 0xff
    await open(t, broken)
      .then((files) => files.read('a.txt', 100).finally(() => files.close()))
      .catch((error) => equal(error.name, 'ArchiveError', `${at}: ${error.stack}`))
  }
})

test('a folder is not left through links', async (t) => {
  const folder = await writeFolder(t, { 'a.md': 'x' })
  await symlink('/etc/passwd', join(folder, 'passwd.md'))
  await symlink('/etc', join(folder, 'etc'))
  const files = await openArchiveFiles(folder)
  deepEqual(files.names, ['a.md'])
  await rejects(files.read('passwd.md', 10_000), /not in the folder/)
  await rejects(files.read('../../etc/passwd', 10_000), /not in the folder/)
})

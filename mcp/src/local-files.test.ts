import { deepEqual, equal, rejects } from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { localFiles } from './local-files.ts'

const elsewhere = { message: /no such file in the folders/ }

test('only regular files below allowed folders are opened, after links were followed', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'pennypost-files-'))
  t.after(() => rm(root, { recursive: true }))
  const [allowed, secret] = [join(root, 'posts'), join(root, 'posts-secret')]
  await mkdir(join(allowed, 'images'), { recursive: true })
  await mkdir(secret)
  await writeFile(join(allowed, 'images', 'engine.png'), 'picture')
  await writeFile(join(secret, 'id_ed25519'), 'key')
  await symlink(join(secret, 'id_ed25519'), join(allowed, 'innocent.png'))
  await symlink(secret, join(allowed, 'folder'))
  await symlink(join(allowed, 'images', 'engine.png'), join(allowed, 'link.png'))
  const open = localFiles([allowed], 100)

  const { name, blob } = await open('images/engine.png')
  deepEqual([name, await blob.text()], ['engine.png', 'picture'])
  equal(await (await open(join(allowed, 'images', 'engine.png'))).blob.text(), 'picture')
  equal(await (await open('link.png')).blob.text(), 'picture')
  for (const path of [
    'innocent.png',
    'folder/id_ed25519',
    '../posts-secret/id_ed25519',
    join(secret, 'id_ed25519'),
    '/etc/passwd',
    'missing.png',
    'images/\0engine.png',
  ])
    await rejects(open(path), elsewhere, path)
  await rejects(open('images'), { message: /regular files/ })
  await rejects(open('.'), elsewhere)
  await writeFile(join(allowed, 'large.zip'), 'x'.repeat(101))
  await rejects(open('large.zip'), { message: /more than 100 bytes/ })
})

import { equal } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findAnvil } from './anvil-program.ts'

test('without a package for this machine, an anvil in the PATH is used, if it can be run', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-anvil-'))
  t.after(() => rm(folder, { recursive: true }))
  const find = (path: string) => findAnvil({ packageName: '@foundry-rs/anvil-none', path })
  equal(await find(folder), undefined)
  await writeFile(join(folder, 'anvil'), '', { mode: 0o644 })
  equal(await find(folder), undefined)
  await rm(join(folder, 'anvil'))
  await writeFile(join(folder, 'anvil'), '', { mode: 0o755 })
  equal(await find(`relative:/nowhere:${folder}`), join(folder, 'anvil'))
  equal(await find(''), undefined)
})

import { equal, rejects } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { wordsOf } from './pdq.ts'
import { PictureListUnreadable, pictureListReader } from './picture-list.ts'

const entry = '0'.repeat(64)
/** A hash that differs from the entry in this many bits. */
const hashAt = (distance: number) => {
  const hex = ((1n << BigInt(distance)) - 1n).toString(16).padStart(64, '0')
  return { hex, turned: [wordsOf(hex)], quality: 100 }
}

test('a picture is known up to a distance of 31 bits from an entry', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'picture-list-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'hashes.txt')
  await writeFile(path, `# known pictures\n${entry} a comment\n`)
  const list = await pictureListReader()(path)
  equal(list.find(hashAt(31)), 'entry 1 of the picture list, distance 31')
  equal(list.find(hashAt(32)), undefined)
  await writeFile(path, `${entry}\nnot a hash\n`)
  await rejects(pictureListReader()(path), PictureListUnreadable)
})

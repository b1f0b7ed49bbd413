import { equal, ok } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { slowWebp } from './images/image-builder.fixture.ts'
import { cleared, picture, screeningIn, zipCleared } from './screening.fixture.ts'
import { zipOf } from './zip/zip-builder.fixture.ts'

const skip = process.platform !== 'linux' && 'needs limits of memory'

test('what needs a little too much memory, and dies late, is not called broken either', { skip }, async (t) => {
  const { image, outputPath } = await screeningIn(t, { decoder: { memoryBytes: 1_200_000_000 } })
  const verdict = await image(slowWebp(4), 'image/webp')
  ok(verdict.kind === 'failed', JSON.stringify(verdict))
  ok(!existsSync(outputPath))
  cleared(await image(await picture(40, 40).png().toBuffer(), 'image/png'))
})

test('our own memory stays flat, whatever is decoded', { skip }, async (t) => {
  const { image } = await screeningIn(t)
  const large = await sharp({ create: { width: 8000, height: 4000, channels: 3, background: '#345' } })
    .jpeg()
    .toBuffer()
  cleared(await image(large, 'image/jpeg'))
  const before = process.memoryUsage().rss
  for (let i = 0; i < 3; i++) cleared(await image(large, 'image/jpeg'))
  ok(process.memoryUsage().rss - before < 40_000_000)
})

test('one archive has no more pixels decoded than one image may', async (t) => {
  const { zip } = await screeningIn(t)
  const large = await sharp({ create: { width: 5000, height: 5000, channels: 3, background: '#345' } })
    .jpeg()
    .toBuffer()
  const archive = (count: number) =>
    zipOf(Array.from({ length: count }, (_, i) => ({ name: `${i}.jpg`, content: large, stored: true })))
  equal(zipCleared(await zip(archive(5))).csamCoverage, 'complete')
  equal(zipCleared(await zip(archive(6))).csamCoverage, 'partial')
})

import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { createScreening } from './screening.ts'
import type { ImageVerdict, ZipVerdict } from './verdict.ts'

// A folder of hostile files with the verdict each must get (`manifest.json`). It is large, and anti-virus programs
// object to it, so it is not kept here: `HOSTILE_DIR=… npm test -- hostile-corpus`.
const folder = process.env.HOSTILE_DIR

interface Case {
  id: string
  file: string
  verdict: 'accept' | 'reject' | 'either'
  reason: string
  alsoOk?: string[]
  needs?: string
  contents?: string[]
  coverage?: 'complete' | 'partial'
  target?: 'avatar' | 'inline'
  mime?: string
  mustNotContain?: string
}

const alike: Record<string, string> = { 'archive-too-large': 'file-too-large' }

function requireVerdict(expected: Case, verdict: ImageVerdict | ZipVerdict): void {
  const reasons = [expected.reason, ...(expected.alsoOk ?? [])].map((reason) => alike[reason] ?? reason)
  const found = verdict.kind === 'rejected' ? verdict.reason : verdict.kind
  if (expected.verdict === 'accept') equal(found, 'cleared')
  else if (expected.verdict === 'reject') ok(reasons.includes(found), `${found}, not ${reasons}`)
  else ok(verdict.kind === 'cleared' || verdict.kind === 'rejected', found)
}

test('every file of the hostile corpus gets its verdict', { skip: !folder && 'HOSTILE_DIR is not set' }, async (t) => {
  const manifest = JSON.parse(await readFile(join(folder!, 'manifest.json'), 'utf8')) as Record<
    'zips' | 'images',
    Case[]
  >
  const clean = await mkdtemp(join(tmpdir(), 'pennypost-clean-'))
  const settings = { pictureListPath: undefined, clamavUrl: undefined, scannerUrl: undefined }
  const screening = createScreening(settings, pino({ level: 'silent' }))
  t.after(async () => {
    await screening.close()
    await rm(clean, { recursive: true })
  })

  for (const expected of manifest.zips.filter(({ needs }) => needs === undefined)) {
    await t.test(expected.id, async () => {
      const verdict = await screening.screenZip({ path: join(folder!, expected.file) })
      requireVerdict(expected, verdict)
      if (verdict.kind !== 'cleared') return
      if (expected.contents) deepEqual(verdict.zip.contents, expected.contents)
      if (expected.coverage) equal(verdict.zip.csamCoverage, expected.coverage)
    })
  }

  for (const expected of manifest.images) {
    await t.test(expected.id, async () => {
      const outputPath = join(clean, expected.id)
      const maxBytes = (expected.target === 'avatar' ? 2 : 5) * 1024 * 1024
      const input = { path: join(folder!, expected.file), declaredType: expected.mime!, maxBytes, outputPath }
      const verdict = await screening.screenImage(input)
      requireVerdict(expected, verdict)
      if (verdict.kind !== 'cleared') return
      const published = await readFile(outputPath)
      equal(published.length, verdict.image.sizeBytes)
      if (expected.mustNotContain) ok(!published.includes(expected.mustNotContain), 'a marker survived')
    })
  }
})

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createScreening } from '../../server/dist/uploads/screening/screening.js'
import { inParallel } from '../in-parallel.mjs'
import { median } from '../median.mjs'

// sharp is a dependency of the server's workspace, so it is resolved from there.
const sharp = createRequire(new URL('../../server/dist/main.js', import.meta.url))('sharp')
const run = promisify(execFile)
const silent = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false }

const rounds = 5

/** Images and archives through all screeners, with a list of known pictures, compared with the bare tools. */
export default {
  name: 'screening',
  title: 'Screening',
  async trials() {
    const folder = await mkdtemp(join(tmpdir(), 'pennypost-bench-screening-'))
    const pictureListPath = join(folder, 'known-pictures')
    await writeFile(pictureListPath, Array.from({ length: 10_000 }, () => randomBytes(32).toString('hex')).join('\n'))
    const screening = createScreening({ pictureListPath, clamavUrl: undefined, scannerUrl: undefined }, silent)
    try {
      return [await compare(await images(folder, screening)), await compare(await archives(folder, screening))]
    } finally {
      await screening.close()
      await rm(folder, { recursive: true })
    }
  },
}

/** Both sides take turns in alternating order, so that a disturbance of the machine affects both. */
async function compare({ label, reference, atLeast, items, ours, theirs }) {
  const perSecond = async (work) => {
    const startedAt = performance.now()
    await inParallel(availableParallelism(), [...Array(items).keys()], work)
    return (items * 1000) / (performance.now() - startedAt)
  }
  for (const work of [ours, theirs]) await perSecond(work) // warm-up
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const speeds = new Map()
    for (const work of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) speeds.set(work, await perSecond(work))
    measured.push([speeds.get(ours), speeds.get(theirs)])
  }
  const ratio = median(measured.map(([our, their]) => our / their))
  return {
    label: `${label}: per second`,
    ours: median(measured.map(([our]) => our)).toFixed(1),
    reference: `${median(measured.map(([, their]) => their)).toFixed(1)} (${reference}), ratio ${ratio.toFixed(2)}`,
    goal: `ratio ${atLeast.toFixed(2)}`,
    isMet: ratio >= atLeast,
  }
}

async function images(folder, screening) {
  const files = []
  for (let i = 0; i < 4; i++) {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 }
    const grain = sharp({ create: { width: 800, height: 500, channels: 3, background: '#888', noise } })
    const path = join(folder, `${i}.jpg`)
    await sharp(await grain.png().toBuffer())
      .resize(4000, 2500, { kernel: 'cubic' })
      .jpeg({ quality: 82 })
      .toFile(path)
    files.push(path)
  }
  const megabytes = ((await stat(files[0])).size / 1024 / 1024).toFixed(1)
  const items = 8
  const screen = async (i) => {
    const input = {
      path: files[i % 4],
      declaredType: 'image/jpeg',
      maxBytes: 5_242_880,
      outputPath: join(folder, `o${i}`),
    }
    const verdict = await screening.screenImage(input)
    if (verdict.kind !== 'cleared') throw new Error(JSON.stringify(verdict))
  }
  sharp.cache(false)
  sharp.concurrency(1)
  return {
    label: `JPEGs of ${megabytes} MiB and 10 megapixels, checked, hashed and encoded again`,
    reference: 'sharp alone',
    atLeast: 0.7,
    items,
    ours: screen,
    theirs: (i) =>
      sharp(files[i % 4])
        .autoOrient()
        .jpeg({ quality: 88 })
        .toFile(join(folder, `s${i}.jpg`)),
  }
}

async function archives(folder, screening) {
  const source = join(folder, 'source')
  const path = join(folder, 'archive.zip')
  await run('mkdir', [source])
  // Digits compress about 2:1, as text does.
  for (let i = 0; i < 16; i++) await writeFile(join(source, `${i}.txt`), randomBytes(540_000).toString('hex'))
  await run('zip', ['-q', '-r', path, '.'], { cwd: source })
  const megabytes = ((await stat(path)).size / 1024 / 1024).toFixed(1)
  const items = 8
  return {
    label: `ZIPs of ${megabytes} MiB, all checks on the inflated bytes`,
    reference: 'unzip -t',
    atLeast: 0.5,
    items,
    async ours() {
      const verdict = await screening.screenZip({ path })
      if (verdict.kind !== 'cleared') throw new Error(JSON.stringify(verdict))
    },
    theirs: () => run('unzip', ['-tqq', path]),
  }
}

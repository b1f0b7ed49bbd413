import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createScreening } from '../../server/dist/uploads/screening/screening.js'
import { createRandom } from '../random.mjs'
import { checkImageShape, checkWholeImage, checkWholeZip, checkZip } from './file-checks.mjs'
import { imageInput, imageSeeds } from './image-inputs.mjs'
import { zipInput } from './zip-inputs.mjs'

// One of several workers. Each takes every nth input. The current number is shared, so that the main thread can say which
// input does not end.

const { seeds, count, first, step, decodedShare, current } = workerData
const seedOf = (index) => seeds[Math.floor((index * seeds.length) / count)]
const silent = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false }
const folder = mkdtempSync(join(tmpdir(), 'pennypost-fuzz-files-'))
const screening = createScreening({ pictureListPath: undefined, clamavUrl: undefined, scannerUrl: undefined }, silent)
const pictures = await imageSeeds()
const outcomes = {}
const slowMs = 1000

try {
  for (let index = first; index < count; index += step) {
    Atomics.store(current, first, index)
    const random = createRandom(seedOf(index)).fork(index)
    // Some inputs go through a real decoder process, the others through the parsers in this thread.
    const isDecoded = random.chance(decodedShare)
    const isZip = random.chance(isDecoded ? 0.3 : 0.6)
    const input = isZip ? { bytes: zipInput(random) } : imageInput(pictures, random)
    const { outcome, problem, isSlow } = await timed(isDecoded, isZip, input)
    const family = `${isZip ? 'ZIP' : 'image'}, ${isDecoded ? 'screened by a decoder' : 'parsed'}`
    outcomes[family] ??= {}
    outcomes[family][outcome] = (outcomes[family][outcome] ?? 0) + 1
    if (problem) note(index, `${family}: ${problem}`, input.bytes)
    // Only if it is slow again: the machine may have paused this thread.
    else if (isSlow && (await timed(isDecoded, isZip, input)).isSlow)
      note(index, `${family}: takes a second`, input.bytes)
  }
} finally {
  await screening.close()
  rmSync(folder, { recursive: true, force: true })
}
parentPort.postMessage({ outcomes })

async function timed(isDecoded, isZip, input) {
  const startedAt = performance.now()
  const result = await check(isDecoded, isZip, input)
  return { ...result, isSlow: !isDecoded && performance.now() - startedAt > slowMs }
}

async function check(isDecoded, isZip, { bytes, declaredType }) {
  if (!isDecoded) return isZip ? checkZip(bytes) : checkImageShape(bytes, declaredType)
  const path = join(folder, 'received')
  writeFileSync(path, bytes)
  if (isZip) return checkWholeZip(screening, path)
  return checkWholeImage(screening, { path, outputPath: join(folder, 'clean'), declaredType })
}

function note(index, problem, bytes) {
  parentPort.postMessage({ seed: seedOf(index), index, problem, bytes })
}

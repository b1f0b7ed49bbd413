import { ok } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import sharp from 'sharp'
import { createScreening, type ScreeningSettings } from './screening.ts'
import type { ImageVerdict, ZipVerdict } from './verdict.ts'

const nobody: ScreeningSettings = {
  pictureListPath: undefined,
  clamavUrl: undefined,
  scannerUrl: undefined,
  cooldownMs: 0,
}

/** Screens bytes as if they had been received, in a separate folder. */
export async function screeningIn(t: TestContext, settings: Partial<ScreeningSettings> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-screening-'))
  const screening = createScreening({ ...nobody, ...settings }, pino({ level: 'silent' }))
  t.after(async () => {
    await screening.close()
    await rm(folder, { recursive: true })
  })
  const path = join(folder, 'received')
  const outputPath = join(folder, 'clean')
  return {
    folder,
    outputPath,
    screening,
    async image(bytes: Buffer, declaredType: string, signal?: AbortSignal) {
      await writeFile(path, bytes)
      return screening.screenImage({ path, declaredType, maxBytes: 5_242_880, outputPath }, signal)
    },
    async zip(bytes: Buffer) {
      await writeFile(path, bytes)
      return screening.screenZip({ path })
    },
  }
}

export const cleared = (verdict: ImageVerdict) => {
  ok(verdict.kind === 'cleared', JSON.stringify(verdict))
  return verdict.image
}
export const zipCleared = (verdict: ZipVerdict) => {
  ok(verdict.kind === 'cleared', JSON.stringify(verdict))
  return verdict.zip
}

/** Rings of colour around a corner: a picture that looks different from every side. */
export const picture = (width: number, height: number, seed = 1) => {
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at++) {
    const [x, y] = [((at / 3) | 0) % width, Math.floor(at / 3 / width)]
    pixels[at] = 128 + 120 * Math.sin((seed * 13 * x) / width + (7 * y * y) / height / height + (at % 3) + seed)
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

import { access, constants, rm } from 'node:fs/promises'
import pLimit from 'p-limit'
import type { Log } from '../../platform/log.ts'
import { clamav } from './clamav.ts'
import type { Drawing, Lane } from './decoder-messages.ts'
import { createDecoderPool, type DecoderLimits } from './decoder-pool.ts'
import { httpScanner } from './http-scanner.ts'
import type { ImageInput } from './images/screen-image.ts'
import type { ScreenedFile, Screener } from './screener.ts'
import type { DrawingVerdict, Held, ImageVerdict, ScreenerName, Unavailable, ZipVerdict } from './verdict.ts'

/** The version of the screening rules, shown as `safety.policyVersion`. Change it whenever the rules change. */
export const policyVersion = '2026-11-2'

export interface ScreeningSettings {
  /** A file of PDQ hashes, one per line. */
  readonly pictureListPath: string | undefined
  /** tcp://host:port */
  readonly clamavUrl: string | undefined
  readonly scannerUrl: string | undefined
  readonly decoder?: Partial<DecoderLimits>
  /** How long a screener is skipped after it failed to respond. */
  readonly cooldownMs?: number
}

/**
 * Screens received files. A verdict other than `unavailable` is final. It throws only the signal's reason, or because
 * of a bug; neither clears anything.
 */
export interface Screening {
  /**
   * If `cleared`, the re-encoded image is at `outputPath`; otherwise there is no file. Only the light lane returns
   * `large`; without a lane, a large file waits for the heavy one.
   */
  screenImage(input: ImageInput, signal?: AbortSignal, lane?: Lane): Promise<ImageVerdict>
  screenZip(input: { readonly path: string }, signal?: AbortSignal, lane?: Lane): Promise<ZipVerdict>
  /**
   * Draws a picture into `outputPath`, in a decoder process, one at a time. Returns `unavailable` if too many drawings
   * wait already.
   */
  draw(drawing: Drawing, signal?: AbortSignal): Promise<DrawingVerdict>
  /** The configured screeners. `verify` throws if one is unavailable. */
  readonly screeners: readonly { readonly name: ScreenerName; verify(): Promise<void> }[]
  /** Stops the checks that are running. */
  close(): Promise<void>
}

export function createScreening(settings: ScreeningSettings, log: Log): Screening {
  const decoders = createDecoderPool(log, settings.decoder)
  const pictureList = settings.pictureListPath
  const screeners = [
    ...(settings.clamavUrl ? [clamav(settings.clamavUrl)] : []),
    ...(settings.scannerUrl ? [httpScanner(settings.scannerUrl)] : []),
  ].map((screener) => withCooldown(screener, settings.cooldownMs ?? defaultCooldownMs))

  // One at a time: readers wait for a drawing, but uploads need the decoders too.
  const drawingSlot = pLimit(1)

  return {
    async draw(drawing, signal) {
      if (drawingSlot.pendingCount >= maxWaitingDrawings) return { kind: 'unavailable', screener: 'decoder' }
      return drawingSlot(() => decoders.decode(drawing, signal) as Promise<DrawingVerdict>)
    },
    async screenImage(input, signal, lane) {
      try {
        let verdict = (await decoders.decode({ kind: 'image', input, pictureList }, signal, lane)) as ImageVerdict
        const file = { path: input.path, mediaType: input.declaredType, signal }
        if (verdict.kind === 'cleared') verdict = (await askAll(screeners, file, log)) ?? verdict
        if (verdict.kind !== 'cleared') await rm(input.outputPath, { force: true })
        return verdict
      } catch (error) {
        await rm(input.outputPath, { force: true })
        throw error
      }
    },
    async screenZip({ path }, signal, lane) {
      const verdict = (await decoders.decode({ kind: 'zip', path, pictureList }, signal, lane)) as ZipVerdict
      if (verdict.kind !== 'cleared') return verdict
      return (await askAll(screeners, { path, mediaType: 'application/zip', signal }, log)) ?? verdict
    },
    screeners: [
      ...screeners,
      ...(pictureList ? [{ name: 'picture-list' as const, verify: () => access(pictureList, constants.R_OK) }] : []),
    ],
    close: () => decoders.close(),
  }
}

const defaultCooldownMs = 3_000
const maxWaitingDrawings = 100

/** Skips a screener for a while after it failed, so that uploads don't all wait for the same timeout. */
function withCooldown(screener: Screener, cooldownMs: number): Screener {
  let isCoolingDown = false
  const coolDown = () => {
    isCoolingDown = cooldownMs > 0
    setTimeout(() => {
      isCoolingDown = false
    }, cooldownMs).unref()
  }
  return {
    ...screener,
    async screen(file) {
      if (isCoolingDown) throw new Error('skipped, because it failed to respond a moment ago')
      try {
        return await screener.screen(file)
      } catch (error) {
        if (!file.signal?.aborted) coolDown()
        throw error
      }
    },
  }
}

/** Asks all screeners. A match counts even if another one is unavailable; to clear a file, all of them must respond. */
async function askAll(
  screeners: readonly Screener[],
  file: ScreenedFile,
  log: Log,
): Promise<Held | Unavailable | undefined> {
  const results = await Promise.all(screeners.map((screener) => askOne(screener, file, log)))
  return results.find((result) => result?.kind === 'held') ?? results.find((result) => result !== undefined)
}

async function askOne(screener: Screener, file: ScreenedFile, log: Log): Promise<Held | Unavailable | undefined> {
  try {
    return await screener.screen(file)
  } catch (error) {
    file.signal?.throwIfAborted()
    log.warn({ screener: screener.name, cause: (error as Error).message }, 'screener did not respond')
    return { kind: 'unavailable', screener: screener.name }
  }
}

import { access, constants, rm } from 'node:fs/promises'
import type { Log } from '../../platform/log.ts'
import { clamav } from './clamav.ts'
import { createDecoderPool, type DecoderLimits } from './decoder-pool.ts'
import { httpScanner } from './http-scanner.ts'
import type { ImageInput } from './images/screen-image.ts'
import type { ScreenedFile, Screener } from './screener.ts'
import type { Held, ImageVerdict, ScreenerName, Unavailable, ZipVerdict } from './verdict.ts'

/** Names the rules that a verdict was reached by; `safety.policyVersion`. To be changed whenever they are. */
export const policyVersion = '2026-11-1'

export interface ScreeningSettings {
  /** A file of PDQ hashes, one a line. */
  readonly pictureListPath: string | undefined
  /** tcp://host:port */
  readonly clamavUrl: string | undefined
  readonly scannerUrl: string | undefined
  readonly decoder?: Partial<DecoderLimits>
  /** How long a screener that did not answer is left alone. */
  readonly cooldownMs?: number
}

/**
 * Looks at received bytes that lie in a file. A verdict other than `unavailable` is final. What it throws is the
 * signal's reason, or a bug; neither clears anything.
 */
export interface Screening {
  /** If `cleared`, the image was written anew to `outputPath`; else there is no such file. */
  screenImage(input: ImageInput, signal?: AbortSignal): Promise<ImageVerdict>
  screenZip(input: { readonly path: string }, signal?: AbortSignal): Promise<ZipVerdict>
  /** Who is asked, and a check of each that throws while it is away. */
  readonly screeners: readonly { readonly name: ScreenerName; verify(): Promise<void> }[]
  /** Ends what is under way. */
  close(): Promise<void>
}

export function createScreening(settings: ScreeningSettings, log: Log): Screening {
  const decoder = createDecoderPool(log, settings.decoder)
  const pictureList = settings.pictureListPath
  const screeners = [
    ...(settings.clamavUrl ? [clamav(settings.clamavUrl)] : []),
    ...(settings.scannerUrl ? [httpScanner(settings.scannerUrl)] : []),
  ].map((screener) => withCooldown(screener, settings.cooldownMs ?? defaultCooldownMs))

  return {
    async screenImage(input, signal) {
      try {
        const verdict = (await decoder.decode({ kind: 'image', input, pictureList }, signal)) as ImageVerdict
        const objection =
          verdict.kind === 'cleared' &&
          (await askAll(screeners, { path: input.path, mediaType: input.declaredType, signal }, log))
        if (verdict.kind === 'cleared' && !objection) return verdict
        await rm(input.outputPath, { force: true })
        return objection || verdict
      } catch (error) {
        await rm(input.outputPath, { force: true })
        throw error
      }
    },
    async screenZip({ path }, signal) {
      const verdict = (await decoder.decode({ kind: 'zip', path, pictureList }, signal)) as ZipVerdict
      if (verdict.kind !== 'cleared') return verdict
      return (await askAll(screeners, { path, mediaType: 'application/zip', signal }, log)) ?? verdict
    },
    screeners: [
      ...screeners,
      ...(pictureList ? [{ name: 'picture-list' as const, verify: () => access(pictureList, constants.R_OK) }] : []),
    ],
    close: () => decoder.close(),
  }
}

const defaultCooldownMs = 3_000

/** Many uploads must not all wait until the same screener does not answer them. */
function withCooldown(screener: Screener, restMs: number): Screener {
  let isResting = false
  const rest = () => {
    isResting = restMs > 0
    setTimeout(() => {
      isResting = false
    }, restMs).unref()
  }
  return {
    ...screener,
    async screen(file) {
      if (isResting) throw new Error('it did not answer a moment ago')
      try {
        return await screener.screen(file)
      } catch (error) {
        if (!file.signal?.aborted) rest()
        throw error
      }
    },
  }
}

/** A match counts even if somebody else did not answer; without one, everybody must have answered. */
async function askAll(
  screeners: readonly Screener[],
  file: ScreenedFile,
  log: Log,
): Promise<Held | Unavailable | undefined> {
  const answers = await Promise.all(screeners.map((screener) => askOne(screener, file, log)))
  return answers.find((answer) => answer?.kind === 'held') ?? answers.find((answer) => answer !== undefined)
}

async function askOne(screener: Screener, file: ScreenedFile, log: Log): Promise<Held | Unavailable | undefined> {
  try {
    return await screener.screen(file)
  } catch (error) {
    file.signal?.throwIfAborted()
    log.warn({ screener: screener.name, cause: (error as Error).message }, 'a screener did not answer')
    return { kind: 'unavailable', screener: screener.name }
  }
}

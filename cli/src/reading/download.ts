import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Download } from '@pennypost/sdk'
import { CliError } from '../frame/cli-error.ts'
import type { Bar } from '../frame/progress.ts'

const stallMs = 60_000

/** The pieces of a download. It ends with an error if nothing comes for a minute. */
async function* pieces({ body }: Download, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  try {
    for (;;) {
      signal.throwIfAborted()
      let timer: NodeJS.Timeout | undefined
      const stalled = new Promise<never>((_, reject) => {
        const error = new CliError('unreachable', 'timeout', 'The download stalled: no data for a minute. Try again.')
        timer = setTimeout(() => reject(error), stallMs)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      stalled.catch(() => {})
      const { done, value } = await Promise.race([reader.read(), stalled]).finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    stop()
  }
}

/** Reads a download into memory, up to a limit. */
export async function readDownload(
  download: Download,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces(download, signal)) {
    length += piece.byteLength
    if (length > maxBytes) throw new CliError('failed', 'file-too-large', `The file is larger than ${maxBytes} bytes.`)
    parts.push(piece)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/**
 * Writes a download to a file, which appears when it is complete. With `sha256`, only if these are its bytes.
 */
export async function saveDownload(
  download: Download,
  path: string,
  { signal, bar, sha256, mode = 0o644 }: { signal: AbortSignal; bar: Bar; sha256?: string; mode?: number },
): Promise<number> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`)
  const file = await open(draft, 'wx', mode)
  const hash = createHash('sha256')
  let written = 0
  try {
    for await (const piece of pieces(download, signal)) {
      await file.write(piece)
      hash.update(piece)
      written += piece.byteLength
      bar.update(written, download.contentLength ?? 0, `${(written / 1024 / 1024).toFixed(1)} MiB`)
    }
    const isWhole = download.contentLength === undefined || download.contentLength === written
    if (!isWhole || (sha256 !== undefined && hash.digest('hex') !== sha256))
      throw new CliError('unreachable', 'incomplete-download', `${basename(path)} did not arrive whole. Try again.`)
    await file.sync()
    await file.close()
    await rename(draft, path)
    return written
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  } finally {
    bar.end()
  }
}

import type { Held, ScreenerName } from './verdict.ts'

export interface ScreenedFile {
  readonly path: string
  readonly mediaType: string
  readonly signal?: AbortSignal | undefined
}

/** An external service that screens received bytes. Returns a match or undefined. If it throws, nothing is cleared. */
export interface Screener {
  readonly name: ScreenerName
  screen(file: ScreenedFile): Promise<Held | undefined>
  /** Throws if the screener cannot be reached. */
  verify(): Promise<void>
}

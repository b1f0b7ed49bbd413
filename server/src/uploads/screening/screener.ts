import type { Held, ScreenerName } from './verdict.ts'

export interface ScreenedFile {
  readonly path: string
  readonly mediaType: string
  readonly signal?: AbortSignal | undefined
}

/** Somebody else who is asked about the received bytes. Answers a match or nothing; whatever it throws clears nothing. */
export interface Screener {
  readonly name: ScreenerName
  screen(file: ScreenedFile): Promise<Held | undefined>
  /** Throws when it cannot be reached. */
  verify(): Promise<void>
}

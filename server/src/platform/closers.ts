import { within } from './within.ts'

/** Parts that have been opened and must be closed again. */
export interface Closers {
  /** `mayHang`: this part waits for another system, so it gets a limited time to close. */
  add(close: () => Promise<unknown> | undefined, options?: { readonly mayHang: boolean }): void
  /** Closes everything, the newest first. A part that fails to close does not keep the others open. */
  closeAll(): Promise<void>
}

export interface CloserSettings {
  readonly hangMs: number
  readonly onFailure: (error: Error) => void
}

export function createClosers({ hangMs, onFailure }: CloserSettings): Closers {
  const closers: (() => Promise<unknown> | undefined)[] = []
  return {
    add(close, { mayHang } = { mayHang: false }) {
      closers.push(mayHang ? () => within(hangMs, Promise.resolve(close())) : close)
    },
    async closeAll() {
      for (const close of closers.splice(0).reverse()) {
        try {
          await close()
        } catch (error) {
          onFailure(error as Error)
        }
      }
    },
  }
}

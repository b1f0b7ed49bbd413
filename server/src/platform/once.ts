/** A function that does its work on the first call. */
export interface Once<T> {
  (): Promise<T>
  /** The result of the first call. Undefined: there was none yet. */
  opened(): Promise<T> | undefined
}

/** Runs the act on the first call and keeps its result; runs it again only if it failed. */
export function once<T>(act: () => Promise<T>): Once<T> {
  let done: Promise<T> | undefined
  const ask = () => {
    done ??= act().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
  return Object.assign(ask, { opened: () => done })
}

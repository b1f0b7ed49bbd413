/** So many at a time; the others wait in order. */
export interface Turns {
  /** Answers the function that gives the turn back. */
  take(signal?: AbortSignal): Promise<() => void>
}

export function turns(atOnce: number): Turns {
  let taken = 0
  const waiting: (() => void)[] = []

  function give(): () => void {
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      const next = waiting.shift()
      if (next) next()
      else taken--
    }
  }

  return {
    async take(signal) {
      signal?.throwIfAborted()
      if (taken < atOnce) {
        taken++
        return give()
      }
      await new Promise<void>((resolve, reject) => {
        const proceed = () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        }
        const giveUp = () => {
          waiting.splice(waiting.indexOf(proceed), 1)
          reject(signal?.reason)
        }
        waiting.push(proceed)
        signal?.addEventListener('abort', giveUp, { once: true })
      })
      return give()
    },
  }
}

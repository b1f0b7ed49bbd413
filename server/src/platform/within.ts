/** Waits for a promise, but no longer than this many milliseconds; `otherwise` runs if the time is up first. */
export async function within(
  milliseconds: number,
  done: Promise<unknown>,
  otherwise: () => void = () => {},
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      otherwise()
      resolve()
    }, milliseconds)
  })
  try {
    await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}

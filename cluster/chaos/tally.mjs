// Counts replies by status.

export const createTally = () => {
  const counts = new Map()
  const add = (what) => void counts.set(what, (counts.get(what) ?? 0) + 1)
  return {
    add,
    all: () => Object.fromEntries([...counts].sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))),
    /** A fetch whose replies are counted. */
    counted: (fetch) => async (input, init) => {
      try {
        const reply = await fetch(input, init)
        add(reply.status)
        return reply
      } catch (error) {
        add(error.name === 'TimeoutError' ? 'no reply in time' : 'no connection')
        throw error
      }
    },
  }
}

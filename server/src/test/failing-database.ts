import type { Db } from '../platform/database/database.ts'

/** A database whose transactions fail after their work is done and before they commit, as when the process is killed. */
export const failingDatabase = (db: Db): Db =>
  new Proxy(db, {
    get(target, name) {
      if (name !== 'transaction') return Reflect.get(target, name)
      return () => ({
        execute: (work: (tx: unknown) => Promise<unknown>) =>
          target.transaction().execute(async (tx) => {
            await work(tx)
            throw new Error('killed')
          }),
      })
    },
  })

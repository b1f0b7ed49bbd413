import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

export interface SupervisedPostgres {
  readonly url: string
  stop(): Promise<void>
}

/** Runs the embedded database and restarts it when it dies. Meanwhile requests get a 503. */
export async function superviseEmbeddedPostgres(dataDir: string, log: Log): Promise<SupervisedPostgres> {
  const start = () =>
    startEmbeddedPostgres({
      dataDir,
      log: (line) => log.debug({ line }, 'postgres'),
      announce: (line) => log.info({}, line),
    })
  const first = await start()
  // Undefined while no server is running.
  let current: EmbeddedPostgres | undefined = first
  let stopping = false

  const watch = async (running: EmbeddedPostgres): Promise<void> => {
    await running.exited
    if (current === running) current = undefined
    for (let delayMs = 100; !stopping; delayMs = Math.min(delayMs * 2, 5_000)) {
      log.error({}, 'the embedded database died; restarting it')
      try {
        const started = await start()
        if (stopping) return await started.stop()
        current = started
        log.info({}, 'the embedded database is running again')
        return watch(started)
      } catch (error) {
        log.error({ cause: (error as Error).message }, 'cannot restart the embedded database')
        await wait(delayMs)
      }
    }
  }
  const watching = watch(first)
  return {
    url: first.url,
    async stop() {
      stopping = true
      await current?.stop()
      await watching
    },
  }
}

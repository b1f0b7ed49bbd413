import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

export interface KeptPostgres {
  readonly url: string
  stop(): Promise<void>
}

/** Runs the embedded database and starts it again when it dies; meanwhile requests are answered 503. */
export async function keepEmbeddedPostgres(dataDir: string, log: Log): Promise<KeptPostgres> {
  const start = () => startEmbeddedPostgres({ dataDir, log: (line) => log.debug({ line }, 'postgres') })
  let current = await start()
  let stopping = false

  const watch = async (running: EmbeddedPostgres): Promise<void> => {
    await running.exited
    for (let delayMs = 100; !stopping; delayMs = Math.min(delayMs * 2, 5_000)) {
      log.error({}, 'the embedded database died; starting it again')
      try {
        current = await start()
        if (stopping) return await current.stop()
        log.info({}, 'the embedded database is back')
        return watch(current)
      } catch (error) {
        log.error({ cause: (error as Error).message }, 'the embedded database does not start')
        await wait(delayMs)
      }
    }
  }
  const watching = watch(current)
  return {
    url: current.url,
    async stop() {
      stopping = true
      await current.stop()
      await watching
    },
  }
}

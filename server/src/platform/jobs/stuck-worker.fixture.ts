import { once } from 'node:events'
import { z } from 'zod'
import { systemClock } from '../clock.ts'
import { openDatabase } from '../database/database.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { startWorker } from './worker.ts'

// A process that claims a job and finishes it only when told to. Tests kill or freeze it.

const log = createLog('silent')
const url = process.argv[2]!
const { pool } = openDatabase(url, log)
await startWorker(
  {
    jobs: [
      {
        name: 'remember',
        payload: z.object({ word: z.string() }),
        attempts: 3,
        run: async () => {
          process.send?.('taken')
          await once(process, 'message')
        },
      },
    ],
    services: undefined,
    pool,
    clock: systemClock(),
    log,
    metrics: createMetrics(),
  },
  url,
)

import { z } from 'zod'
import { openDatabase } from '../database/database.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { startWorker } from './work.ts'

// A process that takes a job and never finishes it; the test kills it.

const log = createLog('silent')
const { pool } = openDatabase(process.argv[2]!, log)
const started = startWorker({
  jobs: [
    {
      name: 'remember',
      payload: z.object({ word: z.string() }),
      attempts: 3,
      run: async () => {
        await started
        process.send?.('taken')
        await new Promise(() => {})
      },
    },
  ],
  services: undefined,
  pool,
  log,
  metrics: createMetrics(),
})

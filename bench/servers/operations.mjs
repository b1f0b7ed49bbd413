import { tmpdir } from 'node:os'
import { systemClock } from '../../server/dist/platform/clock.js'
import { createOrigins } from '../../server/dist/platform/http/origins.js'
import { createSeal } from '../../server/dist/platform/http/response-finalizer.js'
import { createServer } from '../../server/dist/platform/http/serve.js'
import { memoryCounters } from '../../server/dist/platform/limits/memory-rate-limiter.js'
import { createMetrics } from '../../server/dist/platform/metrics.js'

/** Serves a few operations with the service's own HTTP layer, and reports its origin. */
export async function serveOperations(operations, authenticators, log) {
  const server = await createServer({
    operations,
    authenticators,
    counters: memoryCounters(),
    clock: systemClock(),
    origins: createOrigins('http://localhost', undefined),
    temporaryFolder: tmpdir(),
    checkReplies: false,
    trustProxy: ['loopback'],
    log,
    sealFor: createSeal(log, createMetrics().answerTimes),
    onBug: (_operation, cause) => console.error(cause),
  })
  process.on('disconnect', () => process.exit())
  process.send({ origin: await server.listen({ host: '127.0.0.1', port: 0 }) })
}

import { tmpdir } from 'node:os'
import { systemClock } from '../../server/dist/platform/clock.js'
import { createOrigins } from '../../server/dist/platform/http/origins.js'
import { createResponseFinalizer } from '../../server/dist/platform/http/response-finalizer.js'
import { createServer } from '../../server/dist/platform/http/serve.js'
import { memoryRateLimiter } from '../../server/dist/platform/limits/memory-rate-limiter.js'
import { createMetrics } from '../../server/dist/platform/metrics.js'

/** Serves a few operations with the service's own HTTP layer, and reports its origin. */
export async function serveOperations(operations, authenticators, log) {
  const server = await createServer({
    operations,
    authenticators,
    rateLimiter: memoryRateLimiter(),
    clock: systemClock(),
    origins: createOrigins('http://localhost', undefined),
    temporaryFolder: tmpdir(),
    checkReplies: false,
    trustProxy: ['loopback'],
    log,
    finalizerFor: createResponseFinalizer(log, createMetrics().requestLatency),
    onBug: (_operation, cause) => console.error(cause),
  })
  process.on('disconnect', () => process.exit())
  process.send({ origin: await server.listen({ host: '127.0.0.1', port: 0 }) })
}

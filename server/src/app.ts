import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { FastifyInstance } from 'fastify'
import { authenticators } from './accounts/authenticators.ts'
import { createRedirects } from './imports/old-path-store.ts'
import { programAuthenticator } from './oauth/program-authenticator.ts'
import { corsHeaders } from './platform/http/cors.ts'
import { createResponseFinalizer } from './platform/http/response-finalizer.ts'
import { bind, createServer, type ReplicaServices } from './platform/http/serve.ts'
import { handlers } from './rooms.ts'
import type { Services } from './services.ts'

/** The operations of a process that only runs jobs. They are for operators only. */
const workerOperations = new Set<string>(['getHealth', 'getReadiness', 'getMetrics'])

export interface AppSettings {
  readonly temporaryFolder: string
  readonly checkReplies: boolean
  readonly onBug: (operation: string, cause: unknown) => void
  readonly onRefusal?: (operation: string, code: string) => void
}

/** The service as an HTTP server, not yet listening. */
export async function createApp(services: Services, settings: AppSettings): Promise<FastifyInstance> {
  const { config, rateLimiter, clock, origins, log, metrics, createLayout } = services
  const offered = [
    ...bind({ ...contract, ...siteContract }, handlers, services, servicesOfReplica(services)),
    ...(config.environment === 'development' ? await developmentOperations(services) : []),
  ]
  const operations = offered.filter(({ name }) => config.role !== 'worker' || workerOperations.has(name))
  const cors = corsHeaders(operations.map(({ endpoint }) => endpoint))
  const server = await createServer({
    ...settings,
    operations,
    authenticators: { ...authenticators(services), programs: programAuthenticator(services) },
    rateLimiter,
    clock,
    origins,
    log,
    createLayout,
    cors,
    finalizerFor: createResponseFinalizer({
      log,
      latency: metrics.requestLatency,
      exposedHeaders: cors.exposed,
      sameOriginOnly: new Set(operations.flatMap(({ name, endpoint }) => (endpoint.sameOriginOnly ? [name] : []))),
      isSecure: origins.isSecure,
    }),
    trustProxy: config.trustProxy,
    connectionsPerAddress: config.connectionsPerAddress,
    ...(config.role !== 'worker' && { findRedirect: createRedirects(services) }),
  })
  // The tools of `/mcp` call these routes.
  services.ownRoutes.connect(server)
  return server
}

function servicesOfReplica({ reading, ...services }: Services): ReplicaServices<Services> | undefined {
  if (!reading) return undefined
  const { replica, discovery } = reading
  const { db, pool, searchPool } = replica
  return { replica, services: { ...services, reading, db, pool, searchPool, discovery } }
}

/** Imports the development room only when it is needed, so that production never loads it. */
async function developmentOperations(services: Services) {
  const { developmentRoom } = await import('./development/room.ts')
  return bind(developmentContract, developmentRoom.handlers, services)
}

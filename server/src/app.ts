import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { FastifyInstance } from 'fastify'
import { accessRoom } from './access/room.ts'
import { authenticators } from './accounts/authenticators.ts'
import { accountsRoom } from './accounts/room.ts'
import { adminRoom } from './admin/room.ts'
import { discoveryRoom } from './discovery/room.ts'
import { discussionRoom } from './discussion/room.ts'
import { createRedirects } from './imports/old-path-store.ts'
import { importsRoom } from './imports/room.ts'
import { mcpRoom } from './mcp/room.ts'
import { notificationsRoom } from './notifications/room.ts'
import { programAuthenticator } from './oauth/program-authenticator.ts'
import { oauthRoom } from './oauth/room.ts'
import { paymentsRoom } from './payments/room.ts'
import { personalDataRoom } from './personal-data/room.ts'
import { corsHeaders } from './platform/http/cors.ts'
import type { Handlers } from './platform/http/handler.ts'
import { createResponseFinalizer } from './platform/http/response-finalizer.ts'
import { bind, createServer, type ReplicaServices } from './platform/http/serve.ts'
import type { AnyJob } from './platform/jobs/job.ts'
import { platformRoom } from './platform/room.ts'
import { postsRoom } from './posts/room.ts'
import { profilesRoom } from './profiles/room.ts'
import type { Services } from './services.ts'
import { siteRoom } from './site/room.ts'
import { statisticsRoom } from './statistics/room.ts'
import { subscriptionsRoom } from './subscriptions/room.ts'
import { uploadsRoom } from './uploads/room.ts'
import { webhooksRoom } from './webhooks/room.ts'

const platform = platformRoom({ api: contract, pages: siteContract })

/** A handler for every operation. It does not compile while a room leaves one out. */
const handlers: Handlers<typeof contract & typeof siteContract, Services> = {
  ...platform.handlers,
  ...notificationsRoom.handlers,
  ...webhooksRoom.handlers,
  ...accountsRoom.handlers,
  ...uploadsRoom.handlers,
  ...profilesRoom.handlers,
  ...postsRoom.handlers,
  ...importsRoom.handlers,
  ...statisticsRoom.handlers,
  ...paymentsRoom.handlers,
  ...accessRoom.handlers,
  ...discussionRoom.handlers,
  ...discoveryRoom.handlers,
  ...siteRoom.handlers,
  ...subscriptionsRoom.handlers,
  ...oauthRoom.handlers,
  ...personalDataRoom.handlers,
  ...mcpRoom.handlers,
  ...adminRoom.handlers,
}

/** Every job. `test/rooms.test.ts` compares this list with the `*.job.ts` files. */
export const jobs: readonly AnyJob<Services>[] = [
  ...platform.jobs,
  ...notificationsRoom.jobs,
  ...webhooksRoom.jobs,
  ...accountsRoom.jobs,
  ...uploadsRoom.jobs,
  ...profilesRoom.jobs,
  ...postsRoom.jobs,
  ...statisticsRoom.jobs,
  ...paymentsRoom.jobs,
  ...accessRoom.jobs,
  ...discussionRoom.jobs,
  ...discoveryRoom.jobs,
  ...siteRoom.jobs,
  ...subscriptionsRoom.jobs,
  ...oauthRoom.jobs,
  ...personalDataRoom.jobs,
]

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
  // The tools of `/mcp` are clients of these routes.
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

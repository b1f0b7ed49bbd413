import { contract, developmentContract } from '@pennypost/contract/contract'
import type { FastifyInstance } from 'fastify'
import { readCapturedMail } from './platform/development/captured-mail.ts'
import { moveClock, readClock } from './platform/development/clock.ts'
import type { Authenticators, Handlers } from './platform/http/handler.ts'
import { bind, createServer } from './platform/http/serve.ts'
import type { AnyJob } from './platform/jobs/work.ts'
import { answerDocs } from './platform/operations/get-docs.ts'
import { getHealth } from './platform/operations/get-health.ts'
import { getMetrics } from './platform/operations/get-metrics.ts'
import { answerOpenApi } from './platform/operations/get-openapi.ts'
import { answerProblem } from './platform/operations/get-problem.ts'
import { getReadiness } from './platform/operations/get-readiness.ts'
import { getHandleAvailability } from './profiles/get-handle-availability.ts'
import type { Services } from './services.ts'

/** Every operation and what keeps its promise. */
const handlers: Handlers<typeof contract, Services> = {
  getHandleAvailability,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi: answerOpenApi(contract),
  getDocs: answerDocs(contract),
  getProblem: answerProblem(contract),
}

const developmentHandlers: Handlers<typeof developmentContract, Services> = { readCapturedMail, readClock, moveClock }

/** Every job. */
export const jobs: readonly AnyJob<Services>[] = []

const authenticators: Authenticators = {
  'owner-session': async () => undefined,
  'publishing-key': async () => undefined,
}

export interface AppSettings {
  readonly temporaryFolder: string
  readonly checkReplies: boolean
  readonly onBug: (operation: string, cause: unknown) => void
}

/** The service as an HTTP server, not yet listening. */
export function createApp(services: Services, settings: AppSettings): Promise<FastifyInstance> {
  const { config, counters, clock, origins, log, metrics } = services
  const operations = [
    ...bind(contract, handlers, services),
    ...(config.environment === 'development' ? bind(developmentContract, developmentHandlers, services) : []),
  ]
  return createServer({
    ...settings,
    operations,
    authenticators,
    counters,
    clock,
    origins,
    log,
    metrics,
    trustProxy: config.trustProxy,
  })
}

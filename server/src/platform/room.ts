import type { Contract } from '@pennypost/contract/endpoint'
import type { platformOperations, platformPages } from '@pennypost/contract/platform-operations'
import type { Handlers } from './http/handler.ts'
import type { AnyJob } from './jobs/job.ts'
import { answerDocs } from './operations/get-docs.ts'
import { getHealth } from './operations/get-health.ts'
import { getMetrics } from './operations/get-metrics.ts'
import { answerOpenApi } from './operations/get-openapi.ts'
import { answerProblem } from './operations/get-problem.ts'
import { getReadiness } from './operations/get-readiness.ts'
import type { PlatformServices } from './services.ts'

/** What a room adds to the service: a handler for each of its operations, and its jobs. */
export interface Room<Operations extends Contract, Services> {
  readonly handlers: Handlers<Operations, Services>
  readonly jobs: readonly AnyJob<Services>[]
}

/** The reference documents `api`; the pages about refusals cover `pages` too. */
export const platformRoom = (
  api: Contract,
  pages: Contract,
): Room<typeof platformOperations & typeof platformPages, PlatformServices> => ({
  handlers: {
    getHealth,
    getReadiness,
    getMetrics,
    getOpenApi: answerOpenApi(api),
    getDocs: answerDocs(api),
    getProblem: answerProblem(api, pages),
  },
  jobs: [],
})

import type { Contract } from '@pennypost/contract/endpoint'
import type { platformOperations, platformPages } from '@pennypost/contract/platform-operations'
import type { Handlers } from './http/handler.ts'
import type { AnyJob } from './jobs/job.ts'
import { docsReference, type GuideLink } from './operations/get-docs.ts'
import { getHealth } from './operations/get-health.ts'
import { getMetrics } from './operations/get-metrics.ts'
import { openApiReference } from './operations/get-openapi.ts'
import { answerProblem } from './operations/get-problem.ts'
import { getReadiness } from './operations/get-readiness.ts'
import type { PlatformServices } from './services.ts'

/** What a room adds to the service: a handler for each of its operations, and its jobs. */
export interface Room<Operations extends Contract, Services> {
  readonly handlers: Handlers<Operations, Services>
  readonly jobs: readonly AnyJob<Services>[]
}

interface Documented {
  readonly api: Contract
  /** The two parts of it that have an OpenAPI document each. */
  readonly publicApi: Contract
  readonly adminApi: Contract
  readonly pages: Contract
  /** Texts beside the reference. */
  readonly guides: readonly GuideLink[]
}

/** The reference documents `api`; the pages about refusals cover `pages` too. */
export function platformRoom({ api, publicApi, adminApi, pages, guides }: Documented) {
  const openApi = openApiReference(publicApi)
  const adminOpenApi = openApiReference(adminApi)
  const docs = docsReference(api, guides)
  const handlers: Handlers<typeof platformOperations & typeof platformPages, PlatformServices> = {
    getHealth,
    getReadiness,
    getMetrics,
    getOpenApi: openApi.handle,
    getAdminOpenApi: adminOpenApi.handle,
    getDocs: docs.handle,
    getProblem: answerProblem(api, pages),
  }
  return {
    handlers,
    /** Builds the reference before the first request: it takes a second, in which no other request could be served. */
    prepareReference() {
      openApi.prepare()
      adminOpenApi.prepare()
      docs.prepare()
    },
  }
}

import type { Contract } from '@pennypost/contract/endpoint'
import type { platformOperations, platformPages } from '@pennypost/contract/platform-operations'
import { takeBackup } from './backup/take-backup.job.ts'
import { makePartitions } from './database/make-partitions.job.ts'
import type { Handlers } from './http/handler.ts'
import type { AnyJob } from './jobs/job.ts'
import { getHealth } from './operations/get-health.ts'
import { getMetrics } from './operations/get-metrics.ts'
import { openApiHandler } from './operations/get-openapi.ts'
import { problemHandler } from './operations/get-problem.ts'
import { getReadiness } from './operations/get-readiness.ts'
import { showReference } from './operations/show-reference.ts'
import { readWrittenDocs } from './operations/written-docs.ts'
import type { PlatformServices } from './services.ts'

/** The part of the service that a room adds: a handler for each of its operations, and its jobs. */
export interface Room<Operations extends Contract, Services> {
  readonly handlers: Handlers<Operations, Services>
  readonly jobs: readonly AnyJob<Services>[]
}

/** The pages about refusals cover the operations of `api`, which the reference documents, and of `pages`. */
export function platformRoom({ api, pages }: { readonly api: Contract; readonly pages: Contract }) {
  const handlers: Handlers<typeof platformOperations & typeof platformPages, PlatformServices> = {
    getHealth,
    getReadiness,
    getMetrics,
    getOpenApi: openApiHandler(() => readWrittenDocs('openApi')),
    getAdminOpenApi: openApiHandler(() => readWrittenDocs('adminOpenApi')),
    getDocs: showReference(() => readWrittenDocs('reference')),
    getProblem: problemHandler(api, pages),
  }
  const jobs: readonly AnyJob<PlatformServices>[] = [takeBackup, makePartitions]
  return { handlers, jobs }
}

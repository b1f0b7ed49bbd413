import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { ImportServices } from '../imports/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { Readers } from './readers.ts'

/** The services that handlers and jobs of this room get. */
export interface StatisticsServices extends ImportServices {
  readonly readers: Readers
}

export type Handler<E extends Endpoint> = PlatformHandler<E, StatisticsServices>
export type Job<Payload extends z.ZodType> = PlatformJob<StatisticsServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { AccountServices } from '../accounts/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { Screening } from './screening/screening.ts'
import type { UploadConfig } from './settings.ts'
import type { UploadTargets } from './targets.ts'

/** The services that handlers and jobs of this room get. */
export interface UploadServices extends AccountServices {
  readonly config: AccountServices['config'] & UploadConfig
  readonly screening: Screening
  readonly targets: UploadTargets
}

export type Handler<E extends Endpoint> = PlatformHandler<E, UploadServices>
export type Job<Payload extends z.ZodType> = PlatformJob<UploadServices, Payload>

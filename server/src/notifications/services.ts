import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { PlatformServices } from '../platform/services.ts'
import type { NotificationConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface NotificationServices extends PlatformServices {
  readonly config: PlatformServices['config'] & NotificationConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, NotificationServices>
export type Job<Payload extends z.ZodType> = PlatformJob<NotificationServices, Payload>

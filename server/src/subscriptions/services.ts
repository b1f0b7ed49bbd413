import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { SiteServices } from '../site/services.ts'
import type { SubscriptionConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface SubscriptionServices extends SiteServices {
  readonly config: SiteServices['config'] & SubscriptionConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, SubscriptionServices>
export type Job<Payload extends z.ZodType> = PlatformJob<SubscriptionServices, Payload>

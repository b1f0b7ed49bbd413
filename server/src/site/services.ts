import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { DiscoveryServices } from '../discovery/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { SiteConfig } from './settings.ts'

/** The services that handlers of this room get. */
export interface SiteServices extends DiscoveryServices {
  readonly config: DiscoveryServices['config'] & SiteConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, SiteServices>
export type Job<Payload extends z.ZodType> = PlatformJob<SiteServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { AccessServices } from '../access/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { DiscussionConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface DiscussionServices extends AccessServices {
  readonly config: AccessServices['config'] & DiscussionConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, DiscussionServices>
export type Job<Payload extends z.ZodType> = PlatformJob<DiscussionServices, Payload>

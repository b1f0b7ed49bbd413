import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { PaymentServices } from '../payments/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { openOfferedPosts } from './offered-posts.ts'
import type { AccessConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface AccessServices extends PaymentServices {
  readonly config: PaymentServices['config'] & AccessConfig
  readonly offeredPosts: ReturnType<typeof openOfferedPosts>
}

export type Handler<E extends Endpoint> = PlatformHandler<E, AccessServices>
export type Job<Payload extends z.ZodType> = PlatformJob<AccessServices, Payload>

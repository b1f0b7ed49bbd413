import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { AccessServices } from '../access/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'

/** The services that this room's handlers and jobs use. The room adds none. */
export type DiscussionServices = AccessServices

export type Handler<E extends Endpoint> = PlatformHandler<E, DiscussionServices>
export type Job<Payload extends z.ZodType> = PlatformJob<DiscussionServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { AccountServices } from '../accounts/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'

/** What the handlers and jobs of this room are given: it adds no part. */
export type FollowServices = AccountServices

export type Handler<E extends Endpoint> = PlatformHandler<E, FollowServices>
export type Job<Payload extends z.ZodType> = PlatformJob<FollowServices, Payload>

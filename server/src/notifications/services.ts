import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { PlatformServices } from '../platform/services.ts'

/** The services that this room's handlers and jobs use. The room adds none. */
export type NotificationServices = PlatformServices

export type Handler<E extends Endpoint> = PlatformHandler<E, NotificationServices>
export type Job<Payload extends z.ZodType> = PlatformJob<NotificationServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { NotificationServices } from '../notifications/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'

/** The services that this room's handlers and jobs use. The room adds none. */
export type WebhookServices = NotificationServices

export type Handler<E extends Endpoint> = PlatformHandler<E, WebhookServices>
export type Job<Payload extends z.ZodType> = PlatformJob<WebhookServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { NotificationServices } from '../notifications/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { WebhookConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface WebhookServices extends NotificationServices {
  readonly config: NotificationServices['config'] & WebhookConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, WebhookServices>
export type Job<Payload extends z.ZodType> = PlatformJob<WebhookServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { RailServices } from '../rails/services.ts'
import type { WebhookServices } from '../webhooks/services.ts'
import type { SessionTokens } from './session-tokens.ts'
import type { AccountConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface AccountServices extends RailServices, WebhookServices {
  readonly config: RailServices['config'] & WebhookServices['config'] & AccountConfig
  readonly tokens: SessionTokens
}

export type Handler<E extends Endpoint> = PlatformHandler<E, AccountServices>
export type Job<Payload extends z.ZodType> = PlatformJob<AccountServices, Payload>

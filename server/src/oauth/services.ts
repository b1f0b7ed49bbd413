import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { SubscriptionServices } from '../subscriptions/services.ts'
import type { ClientDocuments } from './client-documents.ts'

/** The services that handlers and jobs of this room get. */
export interface OAuthServices extends SubscriptionServices {
  readonly clientDocuments: ClientDocuments
}

export type Handler<E extends Endpoint> = PlatformHandler<E, OAuthServices>
export type Job<Payload extends z.ZodType> = PlatformJob<OAuthServices, Payload>

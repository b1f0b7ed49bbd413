import type { Endpoint } from '@pennypost/contract/endpoint'
import type { EmailedToSubscribers } from '@pennypost/contract/publishing'
import type { z } from 'zod'
import type { Tx } from '../platform/database/database.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { ProfileServices } from '../profiles/services.ts'
import type { Renderer } from './markdown/renderer.ts'
import type { PostConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface PostServices extends ProfileServices {
  readonly config: ProfileServices['config'] & PostConfig
  readonly renderer: Renderer
  /**
   * Mails a post that is published for the first time to its author's subscribers, in the same transaction. The
   * subscriptions room implements it; see services.ts.
   */
  readonly mailSubscribers: (
    tx: Tx,
    post: { readonly id: string; readonly account_id: string },
  ) => Promise<EmailedToSubscribers>
}

export type Handler<E extends Endpoint> = PlatformHandler<E, PostServices>
export type Job<Payload extends z.ZodType> = PlatformJob<PostServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { ProfileServices } from '../profiles/services.ts'
import type { Renderer } from './markdown/renderer.ts'
import type { PostConfig } from './settings.ts'

/** What the handlers and jobs of this room are given. */
export interface PostServices extends ProfileServices {
  readonly config: ProfileServices['config'] & PostConfig
  readonly renderer: Renderer
}

export type Handler<E extends Endpoint> = PlatformHandler<E, PostServices>
export type Job<Payload extends z.ZodType> = PlatformJob<PostServices, Payload>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { PostServices } from '../posts/services.ts'
import type { ImportConfig } from './settings.ts'

/** What the handlers of this room are given. */
export interface ImportServices extends PostServices {
  readonly config: PostServices['config'] & ImportConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, ImportServices>

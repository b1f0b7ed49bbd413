import type { Endpoint } from '@pennypost/contract/endpoint'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { PostServices } from '../posts/services.ts'
import type { ImportConfig } from './settings.ts'

/** The services that handlers of this room get. */
export interface ImportServices extends PostServices {
  readonly config: PostServices['config'] & ImportConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, ImportServices>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { UploadServices } from '../uploads/services.ts'

/** What the handlers and jobs of this room are given: it adds no part. */
export type ProfileServices = UploadServices

export type Handler<E extends Endpoint> = PlatformHandler<E, ProfileServices>

import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { OAuthServices } from '../oauth/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { PersonalDataConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface PersonalDataServices extends OAuthServices {
  readonly config: OAuthServices['config'] & PersonalDataConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, PersonalDataServices>
export type Job<Payload extends z.ZodType> = PlatformJob<PersonalDataServices, Payload>

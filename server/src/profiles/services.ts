import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Tx } from '../platform/database/database.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { UploadServices } from '../uploads/services.ts'
import type { Rail } from './receiving-address-store.ts'

/** The services that handlers and jobs of this room get. */
export interface ProfileServices extends UploadServices {
  /** Whether a published post depends on this payout address. The posts room implements it; see services.ts. */
  readonly isAddressNeeded: (tx: Tx, accountId: string, rail: Rail) => Promise<boolean>
  /** How many drafts an account may have, and how many bytes of text they may have together: a setting of the posts room. */
  readonly draftQuota: { readonly count: number; readonly bytes: number }
}

export type Handler<E extends Endpoint> = PlatformHandler<E, ProfileServices>
export type Job<Payload extends z.ZodType> = PlatformJob<ProfileServices, Payload>

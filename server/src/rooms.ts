import { contract, siteContract } from '@pennypost/contract/contract'
import { accessRoom } from './access/room.ts'
import { accountsRoom } from './accounts/room.ts'
import { adminRoom } from './admin/room.ts'
import { discoveryRoom } from './discovery/room.ts'
import { discussionRoom } from './discussion/room.ts'
import { importsRoom } from './imports/room.ts'
import { mcpRoom } from './mcp/room.ts'
import { notificationsRoom } from './notifications/room.ts'
import { oauthRoom } from './oauth/room.ts'
import { paymentsRoom } from './payments/room.ts'
import { personalDataRoom } from './personal-data/room.ts'
import type { Handlers } from './platform/http/handler.ts'
import type { AnyJob } from './platform/jobs/job.ts'
import { platformRoom } from './platform/room.ts'
import { postsRoom } from './posts/room.ts'
import { profilesRoom } from './profiles/room.ts'
import type { Services } from './services.ts'
import { siteRoom } from './site/room.ts'
import { statisticsRoom } from './statistics/room.ts'
import { subscriptionsRoom } from './subscriptions/room.ts'
import { uploadsRoom } from './uploads/room.ts'
import { webhooksRoom } from './webhooks/room.ts'

const platform = platformRoom({ api: contract, pages: siteContract })

/** A handler for every operation. It does not compile while a room leaves one out. */
export const handlers: Handlers<typeof contract & typeof siteContract, Services> = {
  ...platform.handlers,
  ...notificationsRoom.handlers,
  ...webhooksRoom.handlers,
  ...accountsRoom.handlers,
  ...uploadsRoom.handlers,
  ...profilesRoom.handlers,
  ...postsRoom.handlers,
  ...importsRoom.handlers,
  ...statisticsRoom.handlers,
  ...paymentsRoom.handlers,
  ...accessRoom.handlers,
  ...discussionRoom.handlers,
  ...discoveryRoom.handlers,
  ...siteRoom.handlers,
  ...subscriptionsRoom.handlers,
  ...oauthRoom.handlers,
  ...personalDataRoom.handlers,
  ...mcpRoom.handlers,
  ...adminRoom.handlers,
}

/** Every job. `test/rooms.test.ts` compares this list with the `*.job.ts` files. */
export const jobs: readonly AnyJob<Services>[] = [
  ...platform.jobs,
  ...notificationsRoom.jobs,
  ...webhooksRoom.jobs,
  ...accountsRoom.jobs,
  ...uploadsRoom.jobs,
  ...profilesRoom.jobs,
  ...postsRoom.jobs,
  ...statisticsRoom.jobs,
  ...paymentsRoom.jobs,
  ...accessRoom.jobs,
  ...discussionRoom.jobs,
  ...discoveryRoom.jobs,
  ...siteRoom.jobs,
  ...subscriptionsRoom.jobs,
  ...oauthRoom.jobs,
  ...personalDataRoom.jobs,
]

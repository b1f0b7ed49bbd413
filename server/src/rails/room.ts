import type { Room } from '../platform/room.ts'
import { moveAddress } from './nano/custody/move-address.job.ts'
import { resumeAddresses } from './nano/custody/resume-addresses.job.ts'
import type { RailServices } from './services.ts'

export const railsRoom: Room<Record<never, never>, RailServices> = {
  handlers: {},
  jobs: [moveAddress, resumeAddresses],
}

import type { Pennypost, Store } from '@pennypost/sdk'
import type { Shell } from '../frame/command.ts'

export interface Pushing {
  readonly shell: Shell
  readonly pennypost: Pennypost
  readonly store: Store
}

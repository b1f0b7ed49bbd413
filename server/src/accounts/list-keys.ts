import type { listKeys as declared } from '@pennypost/contract/keys'
import { listKeysOf } from './key-store.ts'
import { keyView } from './key-view.ts'
import type { Handler } from './services.ts'

export const listKeys: Handler<typeof declared> = async ({ db, clock }, { caller }) => ({
  status: 200,
  body: { keys: (await listKeysOf(db, caller.accountId, clock.now())).map(keyView) },
})

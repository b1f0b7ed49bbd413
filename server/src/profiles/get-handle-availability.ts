import { isReservedHandle } from '@pennypost/contract/handle'
import type { getHandleAvailability as declared } from '@pennypost/contract/profiles'
import { isHandleInUse } from './profile-store.ts'
import type { Handler } from './services.ts'

export const getHandleAvailability: Handler<typeof declared> = async ({ pool }, { query: { handle } }) => {
  const available = !isReservedHandle(handle) && !(await isHandleInUse(pool, handle))
  return { status: 200, body: { available } }
}

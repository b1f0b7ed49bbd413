import { workRootOf, zeroHash } from '@pennypost/nano/block'
import { workThresholds } from '@pennypost/nano/work'
import { z } from 'zod'
import type { Job } from '../../../services.ts'
import { findAddress, saveOpenWork } from './custody-store.ts'

const payload = z.object({ addressId: z.string() })

/** Work for an address's first block, which depends on nothing but its key: computed before anybody pays. */
export const prepareAddress: Job<typeof payload> = {
  name: 'prepare-nano-address',
  payload,
  attempts: 3,
  givesWay: true,
  atMost: 1,
  async run({ db, nano }, { addressId }) {
    const row = await findAddress(db, addressId)
    if (!row || row.open_work !== null) return
    const root = workRootOf({ account: row.address, previous: zeroHash })
    await saveOpenWork(db, addressId, await nano.work.generate(root, workThresholds[nano.network].receive))
  },
}

import { z } from 'zod'
import { enqueue } from '../../../platform/jobs/job.ts'
import type { Job } from '../../services.ts'
import { listUnfinishedAddresses } from './custody-store.ts'
import { moveAddress, moveKey } from './move-address.job.ts'

const payload = z.object({})
const most = 500

/** Resumes everything unfinished, in case its job was lost, so that money never waits for a person to notice. */
export const resumeAddresses: Job<typeof payload> = {
  name: 'resume-nano-addresses',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db, clock }) {
    for (const addressId of await listUnfinishedAddresses(db, moveKey(''), most)) {
      await db
        .transaction()
        .execute((tx) => enqueue(tx, clock, moveAddress, { addressId }, { key: moveKey(addressId) }))
    }
  },
}

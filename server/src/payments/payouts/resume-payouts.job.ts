import { z } from 'zod'
import { listUnfinishedAddresses } from '../../rails/nano/custody/block-store.ts'
import type { Job } from '../services.ts'
import { sendKey, sendLater } from './payouts.job.ts'

const payload = z.object({})
const most = 500

/** Resumes everything unfinished, in case its job was lost, so that money never waits for a person to notice. */
export const resumePayouts: Job<typeof payload> = {
  name: 'resume-nano-addresses',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db, clock }) {
    for (const addressId of await listUnfinishedAddresses(db, sendKey(''), most)) {
      await db.transaction().execute((tx) => sendLater({ clock }, tx, addressId))
    }
  },
}

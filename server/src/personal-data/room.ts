import type { personalDataOperations } from '@pennypost/contract/personal-data-operations'
import type { Room } from '../platform/room.ts'
import { deleteAccount } from './delete-account.ts'
import { deleteOldExports } from './delete-old-exports.job.ts'
import { downloadExport } from './download-export.ts'
import { eraseAccount } from './erase-account.job.ts'
import { sendDeletionNotice } from './send-deletion-notice.job.ts'
import type { PersonalDataServices } from './services.ts'
import { startExport } from './start-export.ts'

export const personalDataRoom: Room<typeof personalDataOperations, PersonalDataServices> = {
  handlers: {
    startExport,
    downloadExport,
    deleteAccount,
  },
  jobs: [eraseAccount, sendDeletionNotice, deleteOldExports],
}

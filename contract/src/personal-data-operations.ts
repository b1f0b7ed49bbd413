import { deleteAccount, downloadExport, startExport } from './personal-data.ts'

/** Everything that an account has here: to take along, and to delete. */
export const personalDataOperations = {
  startExport,
  downloadExport,
  deleteAccount,
}

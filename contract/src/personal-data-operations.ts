import { deleteAccount, downloadExport, startExport } from './personal-data.ts'

/** Exporting everything an account has here, and deleting it. */
export const personalDataOperations = {
  startExport,
  downloadExport,
  deleteAccount,
}

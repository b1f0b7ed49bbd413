import { downloadExport, startExport } from './personal-data.ts'

/** Everything that an account has here, to take along. */
export const personalDataOperations = {
  startExport,
  downloadExport,
}

import type { CommandTable } from '../frame/command.ts'
import { adminAdd, adminHold, adminList, adminRemove, adminUnhold } from './admin.ts'
import { audit } from './audit.ts'
import { backup, backups, recover, restore } from './backup.ts'
import { doctor } from './doctor.ts'
import { jobsDead, jobsDrop, jobsList, jobsRetry } from './jobs.ts'
import { migrate } from './migrate.ts'
import { moveDatabase } from './move-database.ts'
import { secretsCheck, secretsGenerate, secretsList, secretsRetire, secretsRotate } from './secrets.ts'
import { serve } from './serve.ts'

/** Commands for operators. They use the settings and the database of the service, not its API. */
export const operatorTable: CommandTable = {
  commands: [
    serve,
    doctor,
    adminList,
    adminAdd,
    adminRemove,
    adminHold,
    adminUnhold,
    jobsList,
    jobsDead,
    jobsRetry,
    jobsDrop,
    migrate,
    backup,
    backups,
    restore,
    recover,
    audit,
    moveDatabase,
    secretsList,
    secretsCheck,
    secretsGenerate,
    secretsRotate,
    secretsRetire,
  ],
  groups: {
    admin: 'Operators: administrators of the site, and holds',
    jobs: 'Operators: jobs of the service',
    secrets: 'Operators: secrets of the service',
  },
}

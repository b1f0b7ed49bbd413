import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import { openBackupPlace } from '../../platform/backup/place.ts'
import type { Check } from './check.ts'
import { findWriteProblem } from './check-data-dir.ts'

/** Whether the next backup can be written into BACKUP_URL. It is noticed here, and not by the first backup that fails. */
export const checkBackupPlace = (config: Config): Check => ({
  area: 'backup place',
  timeoutMs: 10_000,
  advice: 'Check BACKUP_URL: the path, or the address, the key and the bucket.',
  async run(report) {
    const { place } = config.backup
    if (!place) return report.skip('BACKUP_URL is not set')
    if (config.role === 'web') return report.skip('this process makes no backups')
    if (place.kind === 's3') {
      for await (const _ of (await openBackupPlace(config)).list()) break
      return report.ok('the bucket in BACKUP_URL can be listed')
    }
    const { folder } = place
    if (existsSync(folder) && !(await stat(folder)).isDirectory())
      return report.wrong(`${folder} in BACKUP_URL is not a folder`, 'Choose another.')
    // The first backup creates what is missing of it.
    let nearest = folder
    while (!existsSync(nearest)) nearest = dirname(nearest)
    const problem = await findWriteProblem(nearest)
    if (problem === undefined) return report.ok(`${folder} in BACKUP_URL can be written to`)
    report.wrong(
      `nothing can be written into ${nearest}, where BACKUP_URL is: ${problem}`,
      'Let it belong to the user of the service, or choose another.',
    )
  },
})

import { command } from '../frame/command.ts'
import { loadServer } from './load-server.ts'
import { operate, settingsOptions } from './operate.ts'

export const migrate = command({
  name: 'migrate',
  summary: 'Bring the database up to this version, as a start does',
  description:
    'For updates of several processes: run it before the first process of the new version starts, and with --finish when none of the old version is left. Until then the old version can be started again.',
  options: {
    ...settingsOptions,
    finish: {
      type: 'boolean',
      summary: 'Also apply migrations that the previous version could not work with',
    },
  },
  async run({ options }, shell) {
    const { migrateDatabase } = await loadServer(() => import('@pennypost/server/dist/operator/migrate-database.js'))
    const done = await operate(shell, options, ({ config, log }) =>
      migrateDatabase(config, log, options.finish === true),
    )
    const lines = done.applied.map((name) => `applied ${name}`)
    const waiting = done.waiting.map((name) => `waits for --finish: ${name}`)
    shell.output.result(done, [...(lines.length > 0 ? lines : ['Nothing to apply.']), ...waiting])
  },
})

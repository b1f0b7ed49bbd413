import { usageError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { loadServer } from './load-server.ts'
import { operate, settingsOptions } from './operate.ts'

export const moveDatabase = command({
  name: 'move-database',
  summary: 'Copy the database into an external PostgreSQL, or back into the embedded one',
  description:
    'Stop the service first. The source is the database of the current settings, and is only read. For an external target, set TARGET_DATABASE_URL to an empty database; it is not an argument, because it has a password. Everything is compared before the end, and the target has all of it or nothing. Run it again if it was interrupted. Files stay where they are.',
  options: {
    ...settingsOptions,
    to: {
      type: 'string',
      value: 'TARGET',
      choices: ['external', 'embedded'],
      summary: 'Where to',
      default: 'external',
    },
  },
  examples: [
    ['TARGET_DATABASE_URL=postgresql://… pennypost move-database', 'from the embedded database to an external one'],
    ['DATABASE_URL=postgresql://… pennypost move-database --to embedded', 'and back, into DATA_DIR'],
  ],
  async run({ options }, shell) {
    const server = await loadServer(() => import('@pennypost/server/dist/operator/move-database.js'))
    const bar = shell.output.progress('Moving')
    const { signal } = shell
    const onProgress = (done: number, total: number, table: string) => bar.update(done, total, table)
    const run = operate(
      shell,
      options,
      ({ config, settings, log }) => {
        const target = options.to === 'embedded' ? 'embedded' : settings.TARGET_DATABASE_URL
        if (!target || (target !== 'embedded' && !/^postgres(ql)?:\/\//.test(target)))
          throw usageError('Set TARGET_DATABASE_URL to the empty database: postgresql://….')
        return server.moveDatabase(config, { to: target, log, signal, onProgress })
      },
      { isGraceful: true },
    )
    const moved = await run.finally(() => bar.end())
    const { rows, tables, sequences, migrations, wasThere } = moved
    const next =
      options.to === 'embedded'
        ? 'Now remove DATABASE_URL and DATABASE_DIRECT_URL from the settings, and start the service.'
        : 'Now set DATABASE_URL to what TARGET_DATABASE_URL is, keep DATA_DIR as it is, and start the service.'
    shell.output.result({ ...moved, to: options.to, next }, [
      `${wasThere ? 'The target has everything already' : 'Copied and compared'}: ${rows} rows of ${tables} tables, ${sequences} sequences, ${migrations} migrations.`,
      next,
      'Do not start a service on the old database again: what it sells would be missing in the new one.',
    ])
  },
})

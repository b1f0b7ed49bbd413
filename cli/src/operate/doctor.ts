import type { Finding } from '@pennypost/server/dist/operator/doctor/check.js'
import { CliError, usageError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { type Line, type Part, styled } from '../frame/text.ts'
import { loadServer } from './load-server.ts'
import { readSettings, settingsOptions } from './operate.ts'

const marks = {
  ok: styled('green', '✔'),
  warning: styled('yellow', '!'),
  wrong: styled('red', '✖'),
  skipped: styled('dim', '-'),
} as const satisfies Record<Finding['state'], Part>

export const doctor = command({
  name: 'doctor',
  summary: 'Check a deployment, and say what is wrong and what to do about it',
  description:
    'Looks at the settings, the database, the data folder, the file store, secrets, mail, Nano and Base nodes, the facilitator, the public address, jobs, money in transit, the last backup and the last audit. Changes nothing except a file in DATA_DIR and an object, which it stores and removes. Exits with 1 if something is wrong; with --strict also if there is a warning.',
  options: {
    ...settingsOptions,
    strict: { type: 'boolean', summary: 'Exit with 1 if there is a warning' },
    quiet: { type: 'boolean', short: 'q', summary: 'Show only what is wrong, and warnings' },
  },
  examples: [['pennypost doctor --settings /etc/pennypost.env', 'checks the service with the settings in this file']],
  async run({ options }, shell) {
    const settings = await readSettings(shell, options.settings)
    const { diagnose } = await loadServer(() => import('@pennypost/server/dist/operator/doctor/doctor.js'))
    const { findings, counts } = await diagnose(settings, maxMs(shell.global.timeout))
    const isShown = ({ state }: Finding) => !options.quiet || state === 'wrong' || state === 'warning'
    const shown = findings.filter(isShown)
    const summary = `${counts.wrong} wrong, ${counts.warning} warnings, ${counts.ok} all right, ${counts.skipped} skipped`
    shell.output.result({ findings: shown, counts }, [...shown.flatMap(linesOf), '', summary])
    if (counts.wrong > 0) throw new CliError('failed', 'findings', `Checks that failed: ${counts.wrong}.`)
    if (options.strict && counts.warning > 0) throw new CliError('failed', 'warnings', `Warnings: ${counts.warning}.`)
  },
})

const linesOf = ({ area, state, detail, advice }: Finding): Line[] => [
  [marks[state], ` ${area}: ${detail}`],
  ...(advice === undefined ? [] : [[`    ${advice}`]]),
]

function maxMs(timeout: string | undefined): number | undefined {
  if (timeout === undefined) return undefined
  const seconds = Number(timeout)
  if (!(seconds > 0 && seconds <= 3_600)) throw usageError('--timeout: must be a number of seconds.')
  return seconds * 1_000
}

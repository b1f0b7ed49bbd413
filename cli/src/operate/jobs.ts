import type { DeadJobs } from '@pennypost/server/dist/operator/jobs.js'
import { confirm } from '../frame/ask.ts'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { cut, table } from '../frame/text.ts'
import { loadServer } from './load-server.ts'
import { operate, settingsOptions } from './operate.ts'

const load = () => loadServer(() => import('@pennypost/server/dist/operator/jobs.js'))
const loadDatabase = () => loadServer(() => import('@pennypost/server/dist/operator/open-operator.js'))

const most = 1_000

export const jobsList = command({
  name: 'jobs list',
  summary: 'Count the jobs of each kind and state, with the age of the oldest',
  options: settingsOptions,
  async run({ options }, shell) {
    const [{ countJobs }, { withOperator }] = [await load(), await loadDatabase()]
    const jobs = await operate(shell, options, ({ config, log }) => withOperator(config, log, countJobs))
    const rows = jobs.map(({ kind, state, count, oldestAt }) => [kind, state, String(count), oldestAt ?? ''])
    const lines = rows.length === 0 ? ['There are no jobs.'] : table(rows, ['Kind', 'State', 'Count', 'Oldest'])
    shell.output.result({ jobs }, lines)
  },
})

export const jobsDead = command({
  name: 'jobs dead',
  summary: 'List jobs that failed too often, with their last error',
  description: 'The oldest come first. Secrets are removed from errors.',
  options: {
    ...settingsOptions,
    kind: { type: 'string', value: 'KIND', summary: 'Only jobs of this kind' },
    limit: { type: 'string', value: 'NUMBER', summary: 'How many at most, up to 1000', default: '50' },
  },
  async run({ options }, shell) {
    const limit = Number(options.limit)
    if (!Number.isInteger(limit) || limit < 1 || limit > most) throw usageError(`--limit: must be from 1 to ${most}.`)
    const [{ listDeadJobs }, { withOperator }] = [await load(), await loadDatabase()]
    const found = await operate(shell, options, ({ config, log, redact }) =>
      withOperator(config, log, (operator) => listDeadJobs(operator, redact, { kind: options.kind, limit: limit + 1 })),
    )
    const jobs = found.slice(0, limit)
    const isMore = found.length > limit
    const rows = jobs.map(({ id, kind, attempts, diedAt, payload, error }) => [
      id,
      kind,
      String(attempts),
      diedAt,
      cut(payload, 60),
      error,
    ])
    const lines =
      rows.length === 0 ? ['No job is dead.'] : table(rows, ['Id', 'Kind', 'Tries', 'Died', 'About', 'Error'])
    shell.output.result({ jobs, isMore }, isMore ? [...lines, `There are more than ${limit}.`] : lines)
  },
})

const which = {
  positionals: [{ name: 'ID', summary: 'the id of a dead job', optional: true }],
  options: {
    ...settingsOptions,
    kind: { type: 'string', value: 'KIND', summary: 'All dead jobs of this kind' },
    yes: { type: 'boolean', short: 'y', summary: 'Do not ask' },
  },
} as const

export const jobsRetry = command({
  name: 'jobs retry',
  summary: 'Have dead jobs tried again',
  ...which,
  examples: [['pennypost jobs retry --kind send-login-code', 'all dead jobs of a kind']],
  async run({ args: { ID }, options }, shell) {
    const chosen = chosenJobs(ID, options.kind)
    const [{ retryDeadJobs }, { withOperator }] = [await load(), await loadDatabase()]
    const count = await operate(shell, options, ({ config, log }) =>
      withOperator(config, log, (operator) => retryDeadJobs(operator, chosen)),
    )
    shell.output.result({ count }, [`${count} jobs will be tried again.`])
  },
})

export const jobsDrop = command({
  name: 'jobs drop',
  summary: 'Remove dead jobs for good',
  description: 'What they were, and their last error, stays in the audit log.',
  ...which,
  async run({ args: { ID }, options }, shell) {
    const chosen = chosenJobs(ID, options.kind)
    if (!options.yes) await requireYes(shell, chosen)
    const [{ dropDeadJobs }, { withOperator }] = [await load(), await loadDatabase()]
    const count = await operate(shell, options, ({ config, log }) =>
      withOperator(config, log, (operator) => dropDeadJobs(operator, chosen)),
    )
    shell.output.result({ count }, [`Jobs removed: ${count}.`])
  },
})

function chosenJobs(id: string | undefined, kind: string | undefined): DeadJobs {
  if (id !== undefined && kind === undefined) return { id }
  if (kind !== undefined && id === undefined) return { kind }
  throw usageError('Give the id of a job, or --kind for all dead jobs of a kind.', 'See: pennypost jobs dead')
}

async function requireYes(shell: Shell, chosen: DeadJobs): Promise<void> {
  const what = 'id' in chosen ? `job ${chosen.id}` : `all dead jobs of the kind ${chosen.kind}`
  if (await confirm(shell, `Remove ${what} for good?`)) return
  throw new CliError('usage', 'not-confirmed', 'Nothing was removed.', { hints: ['Use --yes to skip the question.'] })
}

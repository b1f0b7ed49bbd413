import { usageError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { day } from '../frame/format.ts'
import { table } from '../frame/text.ts'
import { loadServer } from './load-server.ts'
import { operate, settingsOptions } from './operate.ts'

const load = () => loadServer(() => import('@pennypost/server/dist/operator/administrators.js'))
const loadDatabase = () => loadServer(() => import('@pennypost/server/dist/operator/open-operator.js'))

const who = { name: 'ACCOUNT', summary: 'a handle, an email address, or the id of an account' } as const
const held = {
  name: 'TARGET',
  summary: 'an account (handle, email address or id), or a post as post:ID',
} as const
const reason = { type: 'string', value: 'TEXT', summary: 'Why; it is kept in the audit log. Required' } as const

export const adminList = command({
  name: 'admin list',
  summary: 'List the administrators of the site',
  options: settingsOptions,
  async run({ options }, shell) {
    const [{ listAdministrators }, { withOperator }] = [await load(), await loadDatabase()]
    const administrators = await operate(shell, options, ({ config, log }) =>
      withOperator(config, log, listAdministrators),
    )
    const rows = administrators.map(({ handle, email, id, createdAt }) => [
      `@${handle}`,
      email ?? '',
      day(createdAt),
      id,
    ])
    const lines = rows.length === 0 ? ['There is no administrator.'] : table(rows, ['Handle', 'Email', 'Joined', 'Id'])
    shell.output.result({ administrators }, lines)
  },
})

const changes = {
  add: {
    summary: 'Make someone an administrator, also the first one',
    done: 'is now an administrator',
    before: 'is an administrator already',
  },
  remove: {
    summary: 'Take the role from an administrator',
    done: 'is no longer an administrator',
    before: 'is not an administrator',
  },
} as const

const changeCommand = (change: keyof typeof changes) =>
  command({
    name: `admin ${change}`,
    summary: changes[change].summary,
    description:
      change === 'add'
        ? 'The account must exist: sign up on the site first. Without an administrator, a start prints a link that makes one; it stops working when this command has been used.'
        : 'The last administrator stays. Add another one first.',
    positionals: [who],
    options: settingsOptions,
    examples: [
      [`pennypost admin ${change} @ada`, change === 'add' ? 'ada sees /admin from now on' : 'ada is one no longer'],
    ],
    async run({ args: { ACCOUNT }, options }, shell) {
      const [{ addAdministrator, removeAdministrator }, { withOperator }] = [await load(), await loadDatabase()]
      const act = change === 'add' ? addAdministrator : removeAdministrator
      const result = await operate(shell, options, ({ config, log }) =>
        withOperator(config, log, (operator) => act(operator, ACCOUNT)),
      )
      const { done, before } = changes[change]
      shell.output.result(result, [`@${result.account.handle} ${result.isChanged ? done : before}.`])
    },
  })

export const adminAdd = changeCommand('add')
export const adminRemove = changeCommand('remove')

const holdCommand = (isHeld: boolean) =>
  command({
    name: isHeld ? 'admin hold' : 'admin unhold',
    summary: isHeld ? 'Suspend an account, or withdraw a post' : 'End the hold of an account or a post',
    description: isHeld
      ? 'A suspended account can neither act nor sign in; what it published stays. A post that is held is not public, its author cannot publish it again, and its buyers keep it.'
      : 'The account can sign in again. A post is not published by this: its author may do so.',
    positionals: [held],
    options: { ...settingsOptions, reason },
    examples: [
      [`pennypost admin ${isHeld ? 'hold' : 'unhold'} @spammer --reason "…"`, 'an account'],
      [`pennypost admin ${isHeld ? 'hold' : 'unhold'} post:6d0c… --reason "…"`, 'a post'],
    ],
    async run({ args: { TARGET }, options }, shell) {
      const { reason: why } = options
      if (why === undefined) throw usageError('Say why: --reason "…"')
      const [{ holdTarget }, { withOperator }] = [await load(), await loadDatabase()]
      const result = await operate(shell, options, ({ config, log }) =>
        withOperator(config, log, (operator) => holdTarget(operator, { target: TARGET, reason: why, isHeld })),
      )
      shell.output.result(result, [`${result.name} is ${result.isHeld ? 'held' : 'not held any longer'}.`])
    },
  })

export const adminHold = holdCommand(true)
export const adminUnhold = holdCommand(false)

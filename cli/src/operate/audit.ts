import { CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { type Line, styled } from '../frame/text.ts'
import { loadServer } from './load-server.ts'
import { operate, settingsOptions } from './operate.ts'

export const audit = command({
  name: 'audit',
  summary: 'Prove that ledger, figures, journal and chains agree',
  description:
    'Checks what is new since the last run, what can still change, and a part of the rest in turn. The service may be running or stopped. Exits with 1 if there is a finding.',
  options: {
    ...settingsOptions,
    full: { type: 'boolean', summary: 'Check everything again, whatever earlier runs have checked' },
  },
  async run({ options }, shell) {
    const server = await loadServer(() => import('@pennypost/server/dist/operator/audit.js'))
    const bar = shell.output.progress('Auditing')
    const onProgress = (line: string) => {
      const [, done, total] = /(\d+) of (\d+)/.exec(line) ?? []
      bar.update(Number(done ?? 0), Number(total ?? 0), line)
    }
    const { findings, underWay, addresses, movements, payments, isUsdcSeen } = await operate(
      shell,
      options,
      ({ config, log }) => server.audit(config, log, { isFull: options.full, onProgress }),
    ).finally(() => bar.end())
    const counts = { movements: Number(movements), addresses, payments }
    const outcome = findings.length === 0 ? 'no findings' : `${findings.length} findings`
    const lines: Line[] = [
      ...underWay.map((line) => `pending: ${line}`),
      ...findings.map((line) => [styled('red', 'WRONG: '), line]),
      ...(isUsdcSeen ? [] : ['USDC payments were not checked on the chain: no BASE_RPC_URL responds']),
      `Checked ${movements} movements, ${addresses} addresses and ${payments} USDC payments: ${outcome}`,
    ]
    shell.output.result({ findings, pending: underWay, ...counts, isUsdcChecked: isUsdcSeen }, lines)
    if (findings.length > 0) throw new CliError('failed', 'findings', `The audit has ${outcome}.`)
  },
})

import type { AdminOverview } from '@pennypost/contract/admin-overview'
import { Time } from '../components/time.tsx'
import type { Children } from '../jsx/markup.ts'
import { Figure } from './figure.tsx'

/** The state of nodes, gas, rates, deliveries and backups, for operators. */
export const Operations = ({ overview }: { readonly overview: AdminOverview }) => {
  const { nano, gas, ratesAt, deliveries, lastBackupAt, backupFailedAt, lastAudit, jobs, rails } = overview
  return (
    <section class="card" aria-labelledby="overview-operations">
      <h2 id="overview-operations">Operations</h2>
      <dl class="overview-figures">
        {nano.nodes.map(({ node, state }) => (
          <Line key={node} label={`Nano node: ${node}`}>
            <span class={state === 'ok' ? 'badge good' : 'badge bad'}>{state}</span>
          </Line>
        ))}
        {nano.isWebsocketUp !== null && (
          <Line label="Nano websocket">
            <span class={nano.isWebsocketUp ? 'badge good' : 'badge bad'}>
              {nano.isWebsocketUp ? 'connected' : 'not connected'}
            </span>
          </Line>
        )}
        <Figure label="Address checks due" backlog={nano.dueChecks} />
        {rails.base !== 'off' && (
          <Line label="Gas today">
            <b>{eth(gas.spentTodayWei)}</b>{' '}
            <span class="quiet">
              of {eth(gas.budgetWei)} ETH{gas.balanceWei !== null && `, ${eth(gas.balanceWei)} ETH left`}
            </span>
          </Line>
        )}
        <Line label="Exchange rates">{ratesAt === null ? 'none' : <Time at={ratesAt} now={Date.now()} />}</Line>
        <Figure label="Emails waiting" backlog={deliveries.email} />
        <Figure label="Pushes waiting" backlog={deliveries.push} />
        <Figure label="Webhook requests waiting" backlog={deliveries.webhook} />
        <Line label="Last backup">{lastBackupAt === null ? 'none' : <Time at={lastBackupAt} now={Date.now()} />}</Line>
        {backupFailedAt !== null && (
          <Line label="Backups">
            <span class="badge bad">failing</span>{' '}
            <span class="quiet">
              last tried <Time at={backupFailedAt} now={Date.now()} />; <code>pennypost doctor</code> says why
            </span>
          </Line>
        )}
        <Line label="Last audit">
          {lastAudit === null ? (
            'none'
          ) : (
            <>
              <Time at={lastAudit.at} now={Date.now()} />,{' '}
              <b class={lastAudit.findings > 0 ? 'bad' : undefined}>{lastAudit.findings}</b> findings
            </>
          )}
        </Line>
        <Figure label="Jobs waiting to run" backlog={jobs.waiting} />
      </dl>
    </section>
  )
}

const Line = ({ label, children }: { readonly label: string; readonly children?: Children }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** An amount of ETH, rounded for display. */
const eth = (wei: string): string => String(Number((Number(wei) / 1e18).toPrecision(3)))

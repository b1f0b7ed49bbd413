import type { AdminOverview, MoneyUnderWay } from '@pennypost/contract/admin-overview'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { plural } from '../format.ts'
import { Figure } from './figure.tsx'
import { Operations } from './operations.tsx'
import { Queues } from './queues.tsx'

type RailState = AdminOverview['rails']['nano']

const railBadges: Readonly<Record<RailState, readonly [style: string, label: string]>> = {
  working: ['badge good', 'working'],
  degraded: ['badge bad', 'degraded'],
  off: ['badge', 'off'],
}

/** The first page for administrators: whether everything works, and what waits for a person. */
export const Overview = ({ overview }: { readonly overview: AdminOverview }) => {
  const { rails, problems, jobs, queues, money, openReports, openHolds, accounts, posts } = overview
  return (
    <div class="overview">
      <section class="card" aria-labelledby="overview-waiting">
        <h2 id="overview-waiting">Waiting for you</h2>
        <dl class="overview-figures">
          <Figure label="Open reports" href="/admin/reports" backlog={openReports} isBad />
          <Figure label="Uploads on hold" href="/admin/holds" backlog={openHolds} isBad />
          <Figure label="Failed jobs" href="/admin/jobs" backlog={jobs.dead} isBad />
          <Figure label="Blocked payouts" href="/admin/obligations" backlog={money.nanoBlocked} isBad>
            <Sum asset="XNO" money={money.nanoBlocked} />
          </Figure>
        </dl>
      </section>
      <section class="card" aria-labelledby="overview-rails">
        <h2 id="overview-rails">Payments and services</h2>
        <dl class="overview-figures">
          <Rail name="Nano" state={rails.nano} />
          <Rail name="USDC on Base" state={rails.base} />
          <Figure label="Payouts on their way" href="/admin/obligations" backlog={money.nanoWaiting}>
            <Sum asset="XNO" money={money.nanoWaiting} />
          </Figure>
          {money.nanoCommission.count > 0 && (
            <Figure label="Commission to be sent" backlog={money.nanoCommission}>
              <Sum asset="XNO" money={money.nanoCommission} />
            </Figure>
          )}
          <Figure label="Nano blocks being confirmed" backlog={money.nanoUnconfirmed} />
          <Figure label="Nano payments through x402" backlog={money.nanoSettling}>
            <Sum asset="XNO" money={money.nanoSettling} />
          </Figure>
          <Figure label="Partial payments" backlog={money.nanoParts}>
            <Sum asset="XNO" money={money.nanoParts} />
          </Figure>
          <Figure label="USDC payments being settled" backlog={money.usdcSettling}>
            <Sum asset="USDC" money={money.usdcSettling} />
          </Figure>
        </dl>
        {problems.length === 0 ? (
          <p class="quiet">Everything this service depends on can be reached.</p>
        ) : (
          <ul>
            {problems.map(({ name, isRequired, detail }) => (
              <li key={name}>
                <b>{name}</b> <span class="badge bad">{isRequired ? 'down' : 'degraded'}</span>
                {detail !== null && ` ${detail}`}
              </li>
            ))}
          </ul>
        )}
      </section>
      <Operations overview={overview} />
      <section class="card" aria-labelledby="overview-site">
        <h2 id="overview-site">The site</h2>
        <dl class="overview-figures">
          <div>
            <dt>
              <a href="/admin/accounts">Accounts</a>
            </dt>
            <dd>
              <b>{accounts.total}</b>{' '}
              <span class="quiet">
                {accounts.newThisWeek} new this week, {accounts.suspended} suspended
              </span>
            </dd>
          </div>
          <div>
            <dt>
              <a href="/">Published posts</a>
            </dt>
            <dd>
              <b>{posts.published}</b>{' '}
              <span class="quiet">
                {posts.newThisWeek} new this week, {plural(posts.drafts, 'draft')}
              </span>
            </dd>
          </div>
        </dl>
        <p>
          <a href="/admin/site">Site settings</a>, <a href="/admin/invitations">invitations</a> and the{' '}
          <a href="/admin/audit">audit log</a>
        </p>
      </section>
      <Queues queues={queues} />
    </div>
  )
}

const Sum = ({ asset, money }: { readonly asset: Asset; readonly money: MoneyUnderWay }) => (
  <>
    {formatAmount(asset, amountOf(asset, money.amountAtomic))} {asset},{' '}
  </>
)

const Rail = ({ name, state }: { readonly name: string; readonly state: RailState }) => {
  const [style, label] = railBadges[state]
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class={style}>{label}</span>
      </dd>
    </div>
  )
}

import { getMailing } from '@pennypost/contract/mailings'
import {
  exportPostStatistics,
  exportStatistics,
  type Figures,
  getPostStatistics,
  getStatistics,
  type PostStatistics,
  type Statistics,
} from '@pennypost/contract/statistics'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { errorMessage } from '../error-message.ts'
import { saveFile } from '../save-file.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { TabButtons } from '../ui/tab-buttons.tsx'
import { DayCharts } from './day-charts.tsx'
import { Funnel } from './funnel.tsx'
import { MailingLine } from './mailing-line.tsx'
import { PostTable } from './post-table.tsx'
import { RailTable } from './rail-table.tsx'
import { ReferrerTable } from './referrer-table.tsx'
import { shareOf } from './share.ts'

const ranges = [
  [7, 'Week'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'Year'],
] as const

const dayMs = 86_400_000

/** The last days up to today, by the clock of the service, which the first reply contains. */
const periodOf = (days: number, to: string) => ({
  from: new Date(Date.parse(to) - (days - 1) * dayMs).toISOString().slice(0, 10),
  to,
})

export async function loadStatistics(postId: string | undefined, days = 30, to?: string) {
  const query = to === undefined ? {} : periodOf(days, to)
  const statistics: Statistics | PostStatistics =
    postId === undefined
      ? await callApi(getStatistics, { query })
      : await callApi(getPostStatistics, { params: { postId }, query })
  const mailing = postId === undefined ? undefined : (await callApi(getMailing, { params: { postId } })).mailing
  return { days, statistics, mailing }
}

interface StatisticsViewProps {
  readonly first: Awaited<ReturnType<typeof loadStatistics>>
  readonly postId: string | undefined
}

/** Readers, paywall views, sales and tips by day, where readers came from, and what sold. */
export function StatisticsView({ first, postId }: StatisticsViewProps) {
  const [{ days, statistics, mailing }, setShown] = useState(first)
  const { from, to, totals, referrers } = statistics
  const select = async (chosen: number) => {
    try {
      setShown(await loadStatistics(postId, chosen, to))
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  const download = async () => {
    const query = { from, to }
    const bytes =
      postId === undefined
        ? await callApi(exportStatistics, { query })
        : await callApi(exportPostStatistics, { params: { postId }, query })
    saveFile(bytes, `statistics-${from}-${to}.csv`)
  }
  return (
    <>
      {'postId' in statistics && (
        <p class="lead">
          <a href={`/studio/posts/${statistics.postId}`}>
            <Name of={statistics.title} />
          </a>
        </p>
      )}
      {mailing !== undefined && <MailingLine mailing={mailing} />}
      <div class="row apart">
        <TabButtons<number> label="How far back" options={ranges} current={days} onSelect={select} />
        <Button class="quiet-button small" action={download}>
          Download as CSV
        </Button>
      </div>
      <Totals totals={totals} />
      {isEmpty(totals) ? (
        <p class="empty">Nothing was read or sold in this period.</p>
      ) : (
        <>
          <h2>By day</h2>
          <DayCharts statistics={statistics} />
          <h2>From reading to buying</h2>
          <Funnel totals={totals} />
          {'posts' in statistics && (
            <>
              <h2>By post</h2>
              <PostTable statistics={statistics} />
            </>
          )}
          {totals.sales.count + totals.tips.count > 0 && (
            <>
              <h2>By payment method</h2>
              <RailTable totals={totals} />
            </>
          )}
          {referrers.length > 0 && (
            <>
              <h2>Where readers came from</h2>
              <ReferrerTable referrers={referrers} />
            </>
          )}
        </>
      )}
      <p class="quiet">
        A reader counts once per post and month. We count without cookies and store no addresses. Days are in UTC.
      </p>
    </>
  )
}

const isEmpty = ({ readers, sales, tips }: Figures): boolean => readers + sales.count + tips.count === 0

function Totals({ totals: { readers, paywallViews, sales, tips } }: { readonly totals: Figures }) {
  const share = shareOf(sales.count, paywallViews)
  return (
    <dl class="totals small-totals">
      <Total name="Readers" value={readers} />
      <Total name="Paywall views" value={paywallViews} />
      <Total name="Sales" value={sales.count} note={share && `${share} of paywall views`} />
      <Total name="Tips" value={tips.count} />
    </dl>
  )
}

interface TotalProps {
  readonly name: string
  readonly value: number
  readonly note?: string | undefined
}

const Total = ({ name, value, note }: TotalProps) => (
  <div>
    <dt>{name}</dt>
    <dd>{value.toLocaleString('en')}</dd>
    {note && <dd class="facts">{note}</dd>}
  </div>
)

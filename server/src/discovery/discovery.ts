import { type SharedWork, sharedWork } from '../platform/shared-work.ts'
import type { Services } from '../services.ts'
import { type Answers, createAnswers } from './answers.ts'
import { catalogVersion } from './catalog-version.ts'
import { countReaders, type Readers } from './readers.ts'
import { type SearchStatistics, searchStatistics } from './search-statistics.ts'
import { createSummaries, type Summaries } from './summaries.ts'

/** What the room keeps between requests. */
export interface Discovery {
  /** How the catalog stands; see catalog-version.ts. */
  readonly version: () => Promise<string>
  /** Pages. They quote exchange rates with a time, so they are kept for seconds only. */
  readonly answers: Answers
  /** How many Posts filters let through. Apart, so that a flood of pages does not push them out. */
  readonly totals: Answers
  /** Stretches of the catalog's orders, which pages are cut from. */
  readonly stretches: Answers
  /** Pages that several ask for at the same moment. */
  readonly pages: SharedWork
  readonly readers: Readers
  readonly summaries: Summaries
  readonly statistics: () => Promise<SearchStatistics>
}

export const openDiscovery = (
  parts: Pick<Services, 'pool' | 'clock' | 'log' | 'secrets' | 'config' | 'rates' | 'base'>,
): Discovery => ({
  version: catalogVersion(parts.pool),
  answers: createAnswers(parts.clock, { lifetimeMs: 10_000, most: 400 }),
  totals: createAnswers(parts.clock, { lifetimeMs: 600_000, most: 400 }),
  stretches: createAnswers(parts.clock, { lifetimeMs: 600_000, most: 400 }),
  pages: sharedWork(),
  readers: countReaders(parts),
  summaries: createSummaries(parts),
  statistics: searchStatistics(parts.pool, parts.clock),
})

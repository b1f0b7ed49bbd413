import type { Services } from '../services.ts'
import { type Answers, createAnswers } from './answers.ts'
import { catalogVersion } from './catalog-version.ts'
import { countReaders, type Readers } from './readers.ts'
import { type SearchStatistics, searchStatistics } from './search-statistics.ts'
import { createSummaries, type Summaries } from './summaries.ts'

/** What the room keeps between requests. */
export interface Discovery {
  readonly answers: Answers
  readonly readers: Readers
  readonly summaries: Summaries
  readonly statistics: () => Promise<SearchStatistics>
}

export const openDiscovery = (
  parts: Pick<Services, 'pool' | 'clock' | 'log' | 'secrets' | 'config' | 'rates'>,
): Discovery => ({
  answers: createAnswers(catalogVersion(parts.pool), parts.clock),
  readers: countReaders(parts),
  summaries: createSummaries(parts),
  statistics: searchStatistics(parts.pool, parts.clock),
})

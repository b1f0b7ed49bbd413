import type { Services } from '../services.ts'
import { type Answers, createAnswers } from './answers.ts'
import { catalogVersion } from './catalog-version.ts'
import { countReaders, type Readers } from './readers.ts'
import { type SearchStatistics, searchStatistics } from './search-statistics.ts'

/** What the room keeps between requests. */
export interface Discovery {
  readonly answers: Answers
  readonly readers: Readers
  readonly statistics: () => Promise<SearchStatistics>
}

export const openDiscovery = (parts: Pick<Services, 'pool' | 'clock' | 'log' | 'secrets'>): Discovery => ({
  answers: createAnswers(catalogVersion(parts.pool), parts.clock),
  readers: countReaders(parts),
  statistics: searchStatistics(parts.pool, parts.clock),
})

import { exportPostStatistics, exportStatistics, getPostStatistics, getStatistics } from './statistics.ts'

/** Readers, sales and tips of an author's posts, by day. */
export const statisticsOperations = { getStatistics, getPostStatistics, exportStatistics, exportPostStatistics }

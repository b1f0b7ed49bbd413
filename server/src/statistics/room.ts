import type { statisticsOperations } from '@pennypost/contract/statistics-operations'
import type { Room } from '../platform/room.ts'
import { deleteReaders } from './delete-readers.job.ts'
import { exportPostStatistics, exportStatistics } from './export-statistics.ts'
import { getPostStatistics, getStatistics } from './get-statistics.ts'
import type { StatisticsServices } from './services.ts'

export const statisticsRoom: Room<typeof statisticsOperations, StatisticsServices> = {
  handlers: { getStatistics, getPostStatistics, exportStatistics, exportPostStatistics },
  jobs: [deleteReaders],
}

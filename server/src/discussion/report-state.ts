import { moves } from '../platform/state-machine.ts'

export type ReportState = 'open' | 'dismissed' | 'upheld'

export const reportMoves = moves<ReportState>()({
  dismiss: { from: ['open'], to: 'dismissed' },
  uphold: { from: ['open'], to: 'upheld' },
})

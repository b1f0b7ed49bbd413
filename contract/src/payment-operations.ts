import { exportTransactions, getEarningsReport, listEarnings, listPayouts, listTransactions } from './finance.ts'
import { listObligations, retryObligation, settleObligation } from './obligations.ts'
import { bindPayout } from './payouts.ts'
import { cancelPurchase, claimPurchase, createPurchase, getPurchase, listPurchases } from './purchases.ts'
import { getTip, tipComment, tipCommentOfPost, tipPost } from './tips.ts'

/** Purchases, tips, payouts, the lists an author reads about money, and unpaid obligations. */
export const paymentOperations = {
  createPurchase,
  listPurchases,
  getPurchase,
  claimPurchase,
  cancelPurchase,
  tipPost,
  tipComment,
  tipCommentOfPost,
  getTip,
  bindPayout,
  listTransactions,
  exportTransactions,
  listEarnings,
  getEarningsReport,
  listPayouts,
  listObligations,
  retryObligation,
  settleObligation,
}

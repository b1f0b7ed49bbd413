import type { paymentOperations } from '@pennypost/contract/payment-operations'
import type { Room } from '../platform/room.ts'
import { checkOwnPayment } from './finance/check-own-payment.job.ts'
import { exportTransactions } from './finance/export-transactions.ts'
import { getEarningsReport } from './finance/get-earnings-report.ts'
import { listEarnings } from './finance/list-earnings.ts'
import { listPayouts } from './finance/list-payouts.ts'
import { listTransactions } from './finance/list-transactions.ts'
import { notifyOfMoney } from './finance/notify-of-money.job.ts'
import { listObligations } from './obligations/list-obligations.ts'
import { retryObligation } from './obligations/retry-obligation.ts'
import { settleObligation } from './obligations/settle-obligation.ts'
import { cancelPurchase } from './orders/cancel-purchase.ts'
import { claimPurchase } from './orders/claim-purchase.ts'
import { closeForgottenOrders } from './orders/close-forgotten-orders.job.ts'
import { createPurchase } from './orders/create-purchase.ts'
import { deleteUnpaidOrders } from './orders/delete-unpaid-orders.job.ts'
import { getPurchase } from './orders/get-purchase.ts'
import { getTip } from './orders/get-tip.ts'
import { listPurchases } from './orders/list-purchases.ts'
import { closeOrder } from './orders/order-lifecycle.job.ts'
import { tipComment, tipCommentOfPost, tipPost } from './orders/tip.ts'
import { bindPayout } from './payouts/bind-payout.ts'
import { sendLowPriorityPayouts, sendPayouts } from './payouts/payouts.job.ts'
import { resumePayouts } from './payouts/resume-payouts.job.ts'
import { sweepCommission } from './payouts/sweep-commission.job.ts'
import type { PaymentServices } from './services.ts'
import { settlePayment } from './x402/settle-payment.job.ts'

export const paymentsRoom: Room<typeof paymentOperations, PaymentServices> = {
  handlers: {
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
  },
  jobs: [
    notifyOfMoney,
    checkOwnPayment,
    closeOrder,
    closeForgottenOrders,
    deleteUnpaidOrders,
    settlePayment,
    sendPayouts,
    sendLowPriorityPayouts,
    resumePayouts,
    sweepCommission,
  ],
}

import { amountOf } from '@pennypost/contract/money'
import type { World } from '../test/world.ts'
import { recordDirectSale } from './x402/settle-payment.job.ts'

/** A sale in USDC, as a chain that settled it leaves it. */
export const soldForUsdc = (world: World, postId: string, payeeId: string, amount: bigint) =>
  world.services.db.transaction().execute((tx) =>
    recordDirectSale(world.services, tx, {
      asset: 'USDC',
      kind: 'purchase',
      commentId: null,
      postId,
      payeeId,
      payerId: null,
      amount: amountOf('USDC', amount),
      source: 'x402',
      payerWallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      recipient: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      transaction: `0x${'ab'.repeat(32)}`,
    }),
  )

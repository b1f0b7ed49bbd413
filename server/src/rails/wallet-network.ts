import { networkOf } from '@pennypost/contract/money'

/** SQL for the network on which a wallet pays. `kind` is the column of `wallets` that says how it signs in. */
export const walletNetwork = (kind: string): string =>
  `CASE ${kind} WHEN 'nano' THEN '${networkOf.XNO}' ELSE '${networkOf.USDC}' END`

import type { Asset } from '@pennypost/contract/money'
import { baseRail } from './base/base-rail.ts'
import { nanoRail } from './nano/nano-rail.ts'
import type { Network, Rail } from './rail.ts'

export const rails: { readonly [A in Asset]: Rail<A> } = { XNO: nanoRail, USDC: baseRail }

export const railsByNetwork: { readonly [N in Network]: Rail<Asset> } = {
  'nano:mainnet': nanoRail,
  'eip155:8453': baseRail,
}

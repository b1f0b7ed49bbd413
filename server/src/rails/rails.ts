import type { Asset } from '@pennypost/contract/money'
import { baseRail } from './base/base-rail.ts'
import { nanoRail } from './nano/nano-rail.ts'
import type { Network, Rail } from './rail.ts'

export const rails: { readonly [A in Asset]: Rail<A> } = { XNO: nanoRail, USDC: baseRail }

export const railOf = (network: Network): Rail<Asset> => (network === nanoRail.network ? nanoRail : baseRail)

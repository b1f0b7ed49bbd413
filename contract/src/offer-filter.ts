import { z } from 'zod'
import type { Asset } from './money.ts'

// Some clients reject a whole 402 because of one network that they do not know. They ask for the offer of one rail.

/** Nano has two spellings: ours and the one x402 uses. */
const assetsByNetwork = { 'eip155:8453': 'USDC', 'nano:mainnet': 'XNO', 'nano-mainnet': 'XNO' } as const

/** The fields of a query that narrow the offers of a 402. Either is enough. */
export const offerFilter = {
  asset: z.enum(['USDC', 'XNO']).optional().meta({ description: 'A 402 lists the offer in this asset only.' }),
  network: z
    .enum(['eip155:8453', 'nano:mainnet', 'nano-mainnet'])
    .optional()
    .meta({ description: 'A 402 lists the offer on this network only. The same as `asset`.' }),
}

type OfferFilter = { readonly [Name in keyof typeof offerFilter]?: z.output<(typeof offerFilter)[Name]> }

/** The asset that a query asks for by its name or its network. */
export const filteredAsset = ({ asset, network }: OfferFilter): Asset | undefined =>
  asset ?? (network && assetsByNetwork[network])

/** Refuses a query that names an asset and the network of the other. */
export function checkOfferFilter({ asset, network }: OfferFilter, context: z.RefinementCtx): void {
  if (asset === undefined || network === undefined || assetsByNetwork[network] === asset) return
  context.addIssue({
    code: 'custom',
    path: ['network'],
    params: { code: 'conflict' },
    message: `is not a network of ${asset}`,
  })
}

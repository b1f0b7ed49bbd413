import type { PaymentRequired } from '@pennypost/contract/x402'
import type { OfferExtension } from './offer-receipt.ts'
import { shortSiwxSchema, siwxSchema } from './siwx-challenge.ts'

type Required = Omit<PaymentRequired, 'offers'>

/** Proxies accept headers of 4 KB, and this is not the only one. */
const longestHeader = 3_500

/**
 * The header `PAYMENT-REQUIRED`: the x402 object of the body, in base64. What makes it too long is in the body only. The
 * schema of the challenge goes first, because no client needs it, then the signatures of the offers, the last one first, and
 * what catalogs read.
 */
export function paymentRequiredHeader(required: Required): string {
  let shown = required
  for (const shorten of [withShortSchema, withFirstOffer, withoutSignedOffers, withoutCatalogData]) {
    const json = Buffer.from(JSON.stringify(shown))
    if (4 * Math.ceil(json.length / 3) < longestHeader) return json.toString('base64')
    shown = shorten(shown)
  }
  return base64Json(shown)
}

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

type Change = (required: Required) => Required

/** Changes one extension, if there is one. */
const changing =
  (name: string, change: (extension: unknown) => unknown): Change =>
  ({ extensions, ...required }) => {
    if (extensions?.[name] === undefined) return { ...required, ...(extensions && { extensions }) }
    const { [name]: extension, ...others } = extensions
    const changed = change(extension)
    return { ...required, extensions: { ...others, ...(changed !== undefined && { [name]: changed }) } }
  }

const withShortSchema = changing('sign-in-with-x', (extension) => {
  const { schema, ...challenge } = extension as { schema: object }
  return { ...challenge, schema: schema === siwxSchema ? shortSiwxSchema : schema }
})

const withFirstOffer = changing('offer-receipt', (extension) => {
  const { info, schema } = extension as OfferExtension['offer-receipt']
  return { info: { offers: info.offers.slice(0, 1) }, schema }
})

const withoutSignedOffers = changing('offer-receipt', () => undefined)
const withoutCatalogData = changing('bazaar', () => undefined)

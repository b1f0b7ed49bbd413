import { Written } from '@pennypost/contract/endpoint'
import type { PaymentRequired } from '@pennypost/contract/x402'
import type { OfferExtension } from './offer-receipt.ts'
import { shortSiwxSchema, siwxSchema } from './siwx-challenge.ts'

/** Every extension of x402 describes itself. */
interface Extension {
  readonly schema: object
}

type Extensions = Readonly<Record<string, Extension>>

export interface Required extends PaymentRequired {
  readonly extensions?: Extensions | undefined
}

/** Proxies accept headers of 4 KB, and this is not the only one. */
const longestHeader = 3_500

/**
 * A 402 as JSON: the body, and the header `PAYMENT-REQUIRED`, which is the same without `offers`, in base64. What makes the header
 * too long is in the body only. The schema of the challenge goes first, because no client needs it, then the signatures of the
 * offers, the last one first, and what catalogs read.
 */
export function writePaymentRequired({ offers, extensions, ...required }: Required) {
  const start = JSON.stringify(required).slice(0, -1)
  const whole = start + extensionsJson(extensions)
  return {
    header: base64(shortened(start, whole, extensions)),
    body: new Written<PaymentRequired>(`${whole},"offers":${JSON.stringify(offers)}}`),
  }
}

function shortened(start: string, whole: string, extensions: Extensions | undefined): string {
  let json = `${whole}}`
  let shown = extensions
  for (const shorten of [withShortSchema, withFirstOffer, withoutSignedOffers, withoutCatalogData]) {
    if (!shown || 4 * Math.ceil(Buffer.byteLength(json) / 3) < longestHeader) break
    shown = shorten(shown)
    json = `${start}${extensionsJson(shown)}}`
  }
  return json
}

export const base64Json = (value: unknown): string => base64(JSON.stringify(value))

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const extensionsJson = (extensions: Extensions | undefined): string =>
  extensions
    ? `,"extensions":{${Object.entries(extensions)
        .map(([name, extension]) => `"${name}":${extensionJson(extension)}`)
        .join()}}`
    : ''

const schemas = new WeakMap<object, string>()

/** Most of an extension is its schema, which is one of a few constants. */
function extensionJson({ schema, ...others }: Extension): string {
  let json = schemas.get(schema)
  if (json === undefined) {
    json = JSON.stringify(schema)
    schemas.set(schema, json)
  }
  return `${JSON.stringify(others).slice(0, -1)},"schema":${json}}`
}

type Change = (extensions: Extensions) => Extensions

/** Changes one extension, if there is one. */
const changing =
  (name: string, change: (extension: Extension) => Extension | undefined): Change =>
  ({ [name]: extension, ...others }) => {
    const changed = extension && change(extension)
    return changed ? { ...others, [name]: changed } : others
  }

const withShortSchema = changing('sign-in-with-x', (extension) => {
  const { schema } = extension
  return { ...extension, schema: schema === siwxSchema ? shortSiwxSchema : schema }
})

const withFirstOffer = changing('offer-receipt', (extension) => {
  const { info, schema } = extension as OfferExtension['offer-receipt']
  return { info: { offers: info.offers.slice(0, 1) }, schema }
})

const withoutSignedOffers = changing('offer-receipt', () => undefined)
const withoutCatalogData = changing('bazaar', () => undefined)

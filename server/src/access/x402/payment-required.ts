import { Written } from '@pennypost/contract/endpoint'
import type { PaymentRequired } from '@pennypost/contract/x402'
import type { OfferExtension } from './offer-receipt.ts'
import { shortSiwxSchema, siwxSchema } from './siwx-challenge.ts'

/** Every extension of x402 describes itself. */
interface Extension {
  readonly schema: object
}

export interface Required extends PaymentRequired {
  readonly extensions?: Readonly<Record<string, Extension>> | undefined
}

/** Proxies accept headers of 4 KB, and this is not the only one. */
const longestHeader = 3_500

/** Text, and how long it is in UTF-8. */
interface Measured {
  readonly json: string
  readonly bytes: number
}

/** An extension as it is written. */
interface Part extends Measured {
  readonly name: string
  readonly extension: Extension
  /** All of it but its schema. */
  readonly start: Measured
}

/**
 * A 402 as JSON: the body, and the header `PAYMENT-REQUIRED`, which is the same without `offers`, in base64. Parts that would
 * make the header too long are left out of it: first the schema of the challenge, which no client needs, then the signatures
 * of all offers but the first, then that of the first, then what catalogs read.
 */
export function writePaymentRequired({ offers, extensions, ...required }: Required) {
  const start = JSON.stringify(required).slice(0, -1)
  const parts = extensions && Object.entries(extensions).map(([name, extension]) => partOf(name, extension))
  return {
    header: base64(`${start}${jsonOf(parts && shortened(Buffer.byteLength(start), parts))}}`),
    body: new Written<PaymentRequired>(`${start}${jsonOf(parts)},"offers":${JSON.stringify(offers)}}`),
  }
}

/** Leaves out what there is no room for. Each part is written once, and only what changes is written again. */
function shortened(startBytes: number, parts: readonly Part[]): readonly Part[] {
  let shown = parts
  for (const shorten of [withShortSchema, withFirstOffer, withoutSignedOffers, withoutCatalogData]) {
    if (base64Length(startBytes + bytesOf(shown) + 1) < longestHeader) break
    shown = shorten(shown)
  }
  return shown
}

export const base64Json = (value: unknown): string => base64(JSON.stringify(value))

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)

const [opening, closing] = [',"extensions":{', '}']

const jsonOf = (parts: readonly Part[] | undefined): string =>
  parts ? opening + parts.map(({ json }) => json).join() + closing : ''

/** How long `jsonOf` is, with the commas between the parts. */
const bytesOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, opening.length + closing.length + Math.max(0, parts.length - 1))

const measured = (json: string): Measured => ({ json, bytes: Buffer.byteLength(json) })

function partOf(name: string, extension: Extension): Part {
  const { schema, ...others } = extension
  return withSchema(name, extension, measured(`"${name}":${JSON.stringify(others).slice(0, -1)},"schema":`))
}

function withSchema(name: string, extension: Extension, start: Measured): Part {
  const schema = schemaOf(extension)
  return { name, extension, start, json: `${start.json}${schema.json}}`, bytes: start.bytes + schema.bytes + 1 }
}

const schemas = new WeakMap<object, Measured>()

/** Most of an extension is its schema, which is one of a few constants. */
function schemaOf({ schema }: Extension): Measured {
  const known = schemas.get(schema) ?? measured(JSON.stringify(schema))
  schemas.set(schema, known)
  return known
}

type Change = (parts: readonly Part[]) => readonly Part[]

/** Changes one extension, if there is one. */
const changing =
  (name: string, change: (part: Part) => Part | undefined): Change =>
  (parts) => {
    const part = parts.find((each) => each.name === name)
    if (!part) return parts
    const others = parts.filter((each) => each !== part)
    const changed = change(part)
    return changed ? [...others, changed] : others
  }

const withShortSchema = changing('sign-in-with-x', (part) => {
  const { name, extension, start } = part
  if (extension.schema !== siwxSchema) return part
  return withSchema(name, { ...extension, schema: shortSiwxSchema }, start)
})

const withFirstOffer = changing('offer-receipt', ({ name, extension }) => {
  const { info, schema } = extension as OfferExtension['offer-receipt']
  const first = { info: { offers: info.offers.slice(0, 1) }, schema }
  return partOf(name, first)
})

const withoutSignedOffers = changing('offer-receipt', () => undefined)
const withoutCatalogData = changing('bazaar', () => undefined)

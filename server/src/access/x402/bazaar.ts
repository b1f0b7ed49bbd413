import type { PaymentRequired } from '@pennypost/contract/x402'
import type { PaymentPayload } from '@x402/core/types'
import type { AccessServices } from '../services.ts'

// x402's `bazaar`: what a catalog learns about a Post. The header of every 402 grows by it, so it is there where somebody
// asked for it (`BAZAAR=1`). Each Post is an entry of its own: the address has no template.

const example = { access: 'purchased', contentMarkdown: '…', paidContentMarkdown: '…', attachments: [] }

const extension = {
  bazaar: {
    info: { input: { type: 'http', method: 'GET' }, output: { type: 'json', example } },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: { type: { const: 'http' }, method: { enum: ['GET'] } },
          required: ['type', 'method'],
        },
        output: { type: 'object' },
      },
      required: ['input'],
    },
  },
}

type Parts = Pick<AccessServices, 'config'>
type Resource = Omit<PaymentRequired['resource'], 'serviceName'>

export const bazaarExtension = ({ config }: Parts) => (config.bazaar ? extension : {})

export const listedResource = ({ config }: Parts, resource: Resource) =>
  config.bazaar ? { ...resource, serviceName: 'Pennypost' } : resource

/** What a facilitator that keeps a catalog is told with a payment: our own words, not those a client echoes. */
export type Listing = Required<Pick<PaymentPayload, 'resource' | 'extensions'>>

export const listingOf = (parts: Parts, resource: Resource): Listing | undefined =>
  parts.config.bazaar ? { resource: listedResource(parts, resource), extensions: extension } : undefined

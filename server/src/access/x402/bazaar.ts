import type { PaymentRequired } from '@pennypost/contract/x402'
import type { Listing } from '../../rails/rail.ts'

// x402's `bazaar` extension describes a post to catalogs. It makes the header of every 402 longer, so it is there only
// with `BAZAAR=1`. Each post is a separate entry: the URL has no template.

type Resource = Omit<PaymentRequired['resource'], 'serviceName'>

const example = { access: 'purchased', contentMarkdown: '…', paidContentMarkdown: '…' }
const text = { type: 'string' }

// In the form of the library's own helper, as short as it can be.
export const bazaarExtension = {
  bazaar: {
    info: {
      input: { type: 'http', method: 'GET', queryParams: {} },
      output: { type: 'json', example },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { const: 'http' },
            method: { enum: ['GET'] },
            queryParams: { type: 'object', properties: { asset: { enum: ['USDC', 'XNO'] } } },
          },
          required: ['type', 'method'],
        },
        output: {
          type: 'object',
          properties: {
            type: text,
            example: { type: 'object', properties: { access: text, contentMarkdown: text, paidContentMarkdown: text } },
          },
        },
      },
      required: ['input'],
    },
  },
}

export const listedResource = (resource: Resource, serviceName: string) => ({ ...resource, serviceName })

/** What a facilitator's catalog learns with a payment: our own words, not those a client echoes. */
export const bazaarListing = (resource: Resource, serviceName: string): Listing => ({
  resource: listedResource(resource, serviceName),
  extensions: bazaarExtension,
})

import type { getDidDocument as declared } from '@pennypost/contract/access'
import type { Handler } from './services.ts'
import { didDocument } from './x402/offer-receipt.ts'

export const getDidDocument: Handler<typeof declared> = async ({ secrets }, { origin }) => ({
  status: 200,
  body: JSON.stringify(didDocument(secrets, origin)),
})

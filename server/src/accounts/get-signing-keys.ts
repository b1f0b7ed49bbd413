import type { getSigningKeys as declared } from '@pennypost/contract/sessions'
import type { Handler } from './services.ts'

export const getSigningKeys: Handler<typeof declared> = async ({ tokens }) => ({
  status: 200,
  body: JSON.stringify(await tokens.publicKeys()),
})

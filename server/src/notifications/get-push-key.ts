import type { getPushKey as declared } from '@pennypost/contract/push'
import type { Handler } from './services.ts'

export const getPushKey: Handler<typeof declared> = async ({ push }) => ({
  status: 200,
  body: { publicKey: push.publicKey },
})

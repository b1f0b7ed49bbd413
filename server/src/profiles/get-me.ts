import type { getMe as declared } from '@pennypost/contract/me'
import { meView } from './me-view.ts'
import type { Handler } from './services.ts'

export const getMe: Handler<typeof declared> = async ({ draftQuota }, { caller, origin }) => ({
  status: 200,
  body: meView(caller, draftQuota, origin),
})

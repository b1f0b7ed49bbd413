import type { getMe as declared } from '@pennypost/contract/me'
import type { Handler } from '../services.ts'
import { meView } from './me-view.ts'

export const getMe: Handler<typeof declared> = async (_services, { caller, origin }) => ({
  status: 200,
  body: meView(caller, origin),
})

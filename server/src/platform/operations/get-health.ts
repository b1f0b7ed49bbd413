import type { getHealth as declared } from '@pennypost/contract/platform-operations'
import type { Handler } from '../http/handler.ts'

export const getHealth: Handler<typeof declared, unknown> = async () => ({ status: 200, body: { status: 'ok' } })

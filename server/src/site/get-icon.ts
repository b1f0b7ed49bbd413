import type { getIcon as declared, getOldIcon as declaredOld } from '@pennypost/contract/site'
import type { Handler } from '../services.ts'
import { movedTo } from './addresses.ts'

/** A penny with a P. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#b4622d"/><path d="M11 25V7h7a6 6 0 0 1 0 12h-4" fill="none" stroke="#fff" stroke-width="3.5"/></svg>
`

export const getIcon: Handler<typeof declared> = async () => ({ status: 200, body: icon })

export const getOldIcon: Handler<typeof declaredOld> = async () => movedTo('/favicon.svg')

import type { getIcon as declared, getOldIcon as declaredOld } from '@pennypost/contract/site-files'
import { redirectTo } from './redirect-to.ts'
import type { Handler } from './services.ts'

/** A penny with a P. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#a8501a"/><circle cx="16" cy="16" r="12" fill="none" stroke="#f4c9a4" stroke-width="1.25"/><path d="M12.5 23V9.5h5a4.25 4.25 0 0 1 0 8.5h-5" fill="none" stroke="#fff" stroke-width="2.75" stroke-linecap="round" stroke-linejoin="round"/></svg>
`

export const getIcon: Handler<typeof declared> = async () => ({ status: 200, body: icon })

export const getOldIcon: Handler<typeof declaredOld> = async () => redirectTo('/favicon.svg')

import type { setRates as declared } from '@pennypost/contract/development-tools'
import type { Handler } from './services.ts'

export const setRates: Handler<typeof declared> = async ({ rates, clock }, { body: { XNO, USDC, at } }) => {
  const time = at ? new Date(at) : clock.now()
  rates.set({ XNO: { usd: XNO, at: time }, USDC: { usd: USDC, at: time } })
  return { status: 200, body: { XNO, USDC, at: time.toISOString() } }
}

import type { Config } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { areFresh, parseRates } from '../../rails/rates.ts'
import { type Check, formatAge, hostOf } from './check.ts'
import { getText } from './get-text.ts'

export const checkRates = ({ ratesUrl }: Config): Check => ({
  area: 'rates',
  timeoutMs: 8_000,
  advice: 'Check RATES_URL. Until then prices are not converted.',
  async run(report, signal) {
    if (!ratesUrl) return report.skip('RATES_URL is not set')
    const { status, text } = await getText(ratesUrl, { signal })
    const rates = status === 200 ? parseRates(text) : undefined
    if (!rates)
      return report.wrong(`the reply of ${hostOf(ratesUrl)} makes no sense (status ${status})`, 'Check RATES_URL.')
    const now = systemClock().now()
    const ageMs = now.getTime() - Math.min(rates.XNO.at.getTime(), rates.USDC.at.getTime())
    const detail = `${hostOf(ratesUrl)} has rates that are ${formatAge(ageMs)} old`
    if (areFresh(rates, now)) report.ok(detail)
    else report.wrong(detail, 'Use another provider: prices are not converted with rates older than an hour.')
  },
})

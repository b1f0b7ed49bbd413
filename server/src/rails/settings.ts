import { z } from 'zod'
import { StartError } from '../platform/data-dir.ts'
import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { urlLike } from '../platform/setting-values.ts'

const fixedRates = z
  .string()
  .regex(
    /^XNO=(?=[\d.]*[1-9])\d{1,9}(\.\d{1,12})?,USDC=(?=[\d.]*[1-9])\d{1,9}(\.\d{1,12})?$/,
    'must look like XNO=1.25,USDC=1',
  )
  .transform(
    (text) => Object.fromEntries(text.split(',').map((pair) => pair.split('='))) as { XNO: string; USDC: string },
  )

export const rateSettings = settingGroup(
  {
    RATES_URL: setting(urlLike('https://rates.example.com/usd'), {
      unset: 'none',
      help: 'fetched every minute; returns `{"XNO":{"usd":"1.25","at":…},"USDC":{…}}`, where `at` is a date-time or Unix seconds. Prices are converted between XNO and USDC only with rates from the last hour',
    }),
    RATES_STATIC: setting(fixedRates, {
      unset: '`XNO=1.25,USDC=1`; none in production',
      help: 'development only: fixed rates that are always fresh. Not together with `RATES_URL`',
      production: 'refused',
    }),
  },
  (values, isProduction) => {
    if (values.RATES_URL && values.RATES_STATIC) throw new StartError('RATES_URL, RATES_STATIC: choose one')
    const developmentRates = isProduction || values.RATES_URL ? undefined : { XNO: '1.25', USDC: '1' }
    return { ratesUrl: values.RATES_URL, ratesStatic: values.RATES_STATIC ?? developmentRates }
  },
)

export type RateConfig = ConfigOf<typeof rateSettings>

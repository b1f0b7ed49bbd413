import { type Asset, parseAmount } from '@pennypost/contract/money'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { z } from 'zod'
import { StartError } from '../../platform/data-dir.ts'
import { type ConfigOf, setting, settingGroup } from '../../platform/setting.ts'
import { list, urlLike, wholeNumber } from '../../platform/setting-values.ts'

const perHour = <A extends Asset>(asset: A) =>
  z.string().transform((text, context) => {
    const amount = parseAmount(asset, text)
    if (amount !== undefined && amount > 0n) return amount
    context.addIssue({ code: 'custom', message: `must be an amount of ${asset}, like 100` })
    return z.NEVER
  })

const nanoAccount = z.string().transform((text, context) => {
  const key = parseNanoAddress(text)
  if (key) return nanoAddress(key)
  context.addIssue({ code: 'custom', message: 'must list Nano addresses' })
  return z.NEVER
})

const ofSigner = ['SIGNER_XNO_PER_HOUR', 'SIGNER_USDC_PER_HOUR', 'SIGNER_DESTINATIONS', 'SIGNER_ADDRESS_DELAY'] as const

/** Who signs, and how much: the signer's own settings also hold in a process that signs for itself. */
export const signerSettings = settingGroup(
  {
    SIGNER_URL: setting(urlLike('http://signer.internal:3100'), {
      unset: 'none: this process signs',
      help: 'where the process with `ROLE=signer` listens. Then this process has neither `NANO_SEED` nor `BASE_SETTLER_KEY`, and does not start with one. Needs `SIGNER_SECRET`',
    }),
    SIGNER_SECRET: setting(z.string().regex(/^[\x21-\x7e]{32,200}$/, 'must have 32 to 200 visible ASCII characters'), {
      unset: 'none',
      help: 'the secret by which the signer recognizes the other processes; the same for all of them and for `ROLE=signer`',
    }),
    SIGNER_XNO_PER_HOUR: setting(perHour('XNO'), {
      unset: 'no limit',
      help: 'the most XNO that is sent to authors and back to payers in an hour of the clock. What is beyond it waits for the next hour. Commission does not count. Must be higher than the highest price',
    }),
    SIGNER_USDC_PER_HOUR: setting(perHour('USDC'), {
      unset: 'no limit',
      help: 'the most USDC in an hour of the clock whose payments are signed. Beyond it no USDC payment is settled until the next hour, and nobody is charged',
    }),
    SIGNER_DESTINATIONS: setting(list(nanoAccount), {
      unset: 'any',
      help: 'the only Nano addresses at which authors are paid, for a service with few authors. Payouts to others wait until they are listed, and so do refunds that an administrator sends elsewhere than to the sender. Commission and other refunds are not affected',
    }),
    SIGNER_ADDRESS_DELAY: setting(wholeNumber('must be a number of hours', { min: 0, max: 720 }), {
      default: '0',
      help: 'how many hours an author’s Nano address must have been saved before it is paid, so that there is time to notice a stolen account. Payouts wait that long; an address that was replaced meanwhile is not paid, and the author decides',
    }),
  },
  (values, _, textOf) => {
    const role = textOf('ROLE') ?? 'all'
    if (role === 'signer') {
      if (values.SIGNER_URL) throw new StartError('SIGNER_URL: is for the other roles; this is the signer')
      if (!values.SIGNER_SECRET) throw new StartError('SIGNER_SECRET: is required with ROLE=signer')
      if (!textOf('NANO_RPC_URL')) throw new StartError('NANO_RPC_URL: is required with ROLE=signer')
    }
    if (values.SIGNER_URL) {
      if (!values.SIGNER_SECRET) throw new StartError('SIGNER_SECRET: is required with SIGNER_URL')
      for (const name of ['NANO_SEED', 'BASE_SETTLER_KEY', ...ofSigner])
        if (textOf(name)) throw new StartError(`${name}: belongs to the signer alone; remove it here, or SIGNER_URL`)
    }
    return {
      signer: {
        /** Undefined if this process signs. */
        url: values.SIGNER_URL,
        secret: values.SIGNER_SECRET,
        perHour: { XNO: values.SIGNER_XNO_PER_HOUR, USDC: values.SIGNER_USDC_PER_HOUR },
        destinations: values.SIGNER_DESTINATIONS,
        addressDelayMs: values.SIGNER_ADDRESS_DELAY * 3_600_000,
      },
    }
  },
)

export type SignerConfig = ConfigOf<typeof signerSettings>

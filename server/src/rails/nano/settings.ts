import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { z } from 'zod'
import { StartError } from '../../platform/data-dir.ts'
import { type ConfigOf, setting, settingGroup } from '../../platform/setting.ts'
import { list, urlLike, urlsLike, wholeNumber } from '../../platform/setting-values.ts'

/** Normalized to the `nano_` prefix. */
const nanoAccount = z.string().transform((text, context) => {
  const key = parseNanoAddress(text)
  if (key) return nanoAddress(key)
  context.addIssue({ code: 'custom', message: 'must be a Nano address' })
  return z.NEVER
})

// A well-known representative that has been voting for years.
const defaultRepresentative = 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd'

export const nanoSettings = settingGroup(
  {
    NANO_RPC_URL: setting(urlsLike('http://127.0.0.1:7076'), {
      unset: 'none: embedded development ledger',
      help: 'one or more RPC URLs of Nano nodes. If a node is unreachable, behind, or does not know a block, the next one is asked',
      production: 'required',
    }),
    NANO_WS_URL: setting(urlLike('ws://127.0.0.1:7078', /^wss?$/), {
      unset: 'none',
      help: 'the websocket of one of these nodes',
    }),
    NANO_NETWORK: setting(z.enum(['live', 'dev']), {
      unset: '`live` with a node, otherwise `dev`',
      help: 'which network the nodes must be on, and which proof-of-work thresholds apply. A node of another network is not used; if there is no other, the service is not ready and offers no Nano payments',
    }),
    NANO_WORK_URL: setting(urlsLike('http://127.0.0.1:7000'), {
      unset: "none: this machine's cores, enough for about 60 sales an hour on two",
      help: 'one or more `work_generate` servers. All of them search for the same work; the first valid result wins, and the others are told to stop (`work_cancel`). One that keeps failing is left out for a while; if all fail, this machine computes',
    }),
    NANO_SEED: setting(z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits'), {
      unset: 'generated in `DATA_DIR/nano-seed`',
      help: "seed of the service's own addresses, 64 hexadecimal digits. Back it up: it controls money in transit",
    }),
    NANO_REPRESENTATIVE: setting(nanoAccount, {
      unset: 'a well-known one',
      help: "representative named in the service's blocks",
    }),
    HOUSE_NANO_ADDRESS: setting(nanoAccount, {
      unset: 'derived from the seed',
      help: 'where commission goes',
    }),
    NANO_WATCH_DAYS: setting(wholeNumber('must be a number of days', { min: 1, max: 9999 }), {
      default: '30',
      help: 'how many days an address is checked after it was paid or expired. Later payments are found by the websocket, when the payer opens the purchase or tip, and by `pennypost audit`',
    }),
    NANO_SHARED_WALLETS: setting(list(nanoAccount), {
      unset: 'none',
      help: "addresses that many people share, such as an exchange's. A payment from one does not prove who sent it",
    }),
  },
  (values) => {
    if (!values.NANO_RPC_URL) {
      if (values.NANO_WS_URL) throw new StartError('NANO_WS_URL: needs NANO_RPC_URL of the same node')
      if (values.NANO_NETWORK === 'live') throw new StartError('NANO_NETWORK: live needs a NANO_RPC_URL')
    }
    return {
      nano: {
        /** Empty for the embedded development ledger. */
        rpcUrls: values.NANO_RPC_URL ?? [],
        wsUrl: values.NANO_WS_URL,
        network: values.NANO_NETWORK ?? (values.NANO_RPC_URL ? ('live' as const) : ('dev' as const)),
        workUrls: values.NANO_WORK_URL ?? [],
        seed: values.NANO_SEED,
        representative: values.NANO_REPRESENTATIVE ?? defaultRepresentative,
        houseAddress: values.HOUSE_NANO_ADDRESS,
        watchDays: values.NANO_WATCH_DAYS,
        sharedWallets: values.NANO_SHARED_WALLETS ?? [],
      },
    }
  },
)

export type NanoConfig = ConfigOf<typeof nanoSettings>

import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { days, wholeNumber } from '../platform/setting-values.ts'

const streams = wholeNumber('must be a number of streams', { min: 1, max: 1e9 })

export const paymentSettings = settingGroup(
  {
    STREAMS_PER_ACCOUNT: setting(streams, {
      default: '100',
      help: 'how many event streams of orders one account may have open in a process. Further ones are refused with 429 `too-many-streams`; polling still works',
    }),
    STREAMS_PER_ADDRESS: setting(streams, {
      default: '400',
      help: 'the same for one IP address (IPv6: /64)',
    }),
    OPEN_GUEST_ORDERS: setting(wholeNumber('must be a number of orders', { min: 1, max: 1e9 }), {
      default: '20000',
      help: 'how many unpaid Nano orders all guests together may have open. Each takes an address that is watched. Further guests get 503 `guest-checkout-busy` until some are paid or expire, after an hour at most; people who are signed in do not notice',
    }),
    COMMISSION_SWEEP_HOUR: setting(wholeNumber('must be an hour from 0 to 23', { min: 0, max: 23 }), {
      unset: 'none: with each sale',
      help: 'the hour of the day (UTC) in which the commission of all Nano sales since the day before is sent to the house address. Each send takes proof of work, so without a work server this lets twice as many authors be paid out in the busy hours. Set it in all processes, after all of them have a version that knows it',
    }),
    // Longer than the journal is kept, and than checkouts of guests.
    KEEP_UNPAID_ORDERS_DAYS: setting(days(90), {
      unset: 'none: forever',
      help: 'how long orders of accounts are kept that expired without any money. Their addresses are checked once more then. Money that comes later goes back to its sender when the websocket or `pennypost audit` notices it',
    }),
  },
  (values) => ({
    streams: { perAccount: values.STREAMS_PER_ACCOUNT, perAddress: values.STREAMS_PER_ADDRESS },
    openGuestOrders: values.OPEN_GUEST_ORDERS,
    commissionSweepHour: values.COMMISSION_SWEEP_HOUR,
    keepUnpaidOrdersDays: values.KEEP_UNPAID_ORDERS_DAYS,
  }),
)

export type PaymentConfig = ConfigOf<typeof paymentSettings>

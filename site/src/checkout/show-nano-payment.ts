import { amountOf, formatAmount } from '@pennypost/contract/money'
import type { Purchase, TipSession } from '@pennypost/contract/purchases'
import { copyable } from '../copy-button.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { qrCode } from '../qr-code.ts'
import { watchEvents } from '../watch-events.ts'

// A Nano payment to an address of our own: what to send, until when, and what became of it. Screen readers read out each
// change.

type Order = Pick<
  Purchase | TipSession,
  'id' | 'status' | 'amount_raw' | 'received_raw' | 'refunded_raw' | 'quote' | 'ephemeral_address' | 'payout'
>

interface NanoPaymentOptions<Kind extends Order> {
  readonly place: HTMLElement
  readonly order: Kind
  readonly statusUrl: string
  readonly event: 'purchase' | 'tip'
  title(amount: string): string
  /** Reads the order again once the countdown ends. Only the service decides whether it has expired. */
  read(): Promise<Kind>
  /** Called once, when the full amount has arrived. */
  onPaid(order: Kind): Promise<unknown>
  cancel?(): Promise<unknown>
  /** Creates a new order after this one has expired. */
  requote(): Promise<unknown>
  leave(): void
}

export const formatXno = (raw: string | bigint): string => formatAmount('XNO', amountOf('XNO', raw))

export function showNanoPayment<Kind extends Order>(options: NanoPaymentOptions<Kind>): void {
  const { place } = options
  const title = h('h3', {})
  const status = h('p', { class: 'pay-status', role: 'status', 'aria-live': 'polite' })
  const timer = h('p', { class: 'hint', role: 'timer', 'aria-live': 'off' })
  const body = h('div', { class: 'pay-body' })
  const foot = h('div', { class: 'row' })
  let isPaid = false
  let isReading = false
  let order = options.order
  let shown = ''

  const stop = () => {
    stopWatching()
    clearInterval(ticking)
  }
  const update = async (next: Kind) => {
    order = next
    const words = paymentStatusText(next)
    if (status.textContent !== words) status.textContent = words
    status.dataset.status = next.status
    draw()
    if (next.status === 'paid') stop()
    if (isPaid || (next.status !== 'received' && next.status !== 'paid')) return
    isPaid = true
    await options.onPaid(next)
  }
  const draw = () => {
    const missing = missingAmount(order)
    const now = `${order.status} ${missing}`
    if (now === shown) return
    shown = now
    const isPending = order.status === 'pending'
    title.textContent = isPending ? options.title(formatXno(missing)) : ''
    body.replaceChildren(...(isPending ? [paymentRequest(order, missing)] : []))
    foot.replaceChildren(...(isPending ? cancelButtons(options, stop) : expiredButtons(order, options, stop)))
  }
  const tick = async () => {
    if (!place.isConnected) return stop()
    const seconds = Math.floor((Date.parse(order.quote.expires_at) - Date.now()) / 1000)
    timer.textContent =
      order.status === 'pending' && seconds > 0 ? `This price holds for ${formatCountdown(seconds)}.` : ''
    if (order.status !== 'pending' || seconds > 0 || isReading) return
    isReading = true
    await update(await options.read().catch(() => order))
    // If this device's clock is ahead, the order is still pending: ask again, but not every second.
    setTimeout(() => {
      isReading = false
    }, 15_000)
  }
  const stopWatching = watchEvents<Kind>(options.statusUrl, options.event, update)
  const ticking = setInterval(tick, 1000)
  place.replaceChildren(
    h('section', { class: 'pay', 'aria-label': 'Payment with Nano' }, title, status, body, timer, foot),
  )
  update(options.order)
  tick()
}

const missingAmount = ({ amount_raw, received_raw }: Order): bigint => {
  const missing = BigInt(amount_raw) - BigInt(received_raw)
  return missing > 0n ? missing : 0n
}

/** What to send: a QR code, a link, and the amount and address to copy. */
function paymentRequest(order: Order, missing: bigint): HTMLElement {
  // Every order in Nano has one.
  const { ephemeral_address: address, uri } = order.ephemeral_address!
  const amount = formatXno(missing)
  const link = uri.replace(/amount=\d+/, `amount=${missing}`)
  return h(
    'div',
    { class: 'pay-ways' },
    h('div', { class: 'pay-scan' }, qrCode(link, `A code to scan with a Nano wallet: ${amount} XNO`)),
    h(
      'div',
      { class: 'pay-by-hand' },
      h('p', { class: 'hint' }, 'Scan it with your wallet, or open the wallet of this device.'),
      h('a', { class: 'button', href: link }, 'Open my wallet'),
      copyable('Amount', amount),
      copyable('Address', address),
    ),
  )
}

function cancelButtons<Kind extends Order>({ cancel }: NanoPaymentOptions<Kind>, stop: () => void): Node[] {
  if (!cancel) return []
  const act = async () => {
    await cancel()
    stop()
  }
  return [button('Cancel', act, 'text-button')]
}

/** The choices after an order expired or was cancelled. */
function expiredButtons<Kind extends Order>(
  { status }: Order,
  options: NanoPaymentOptions<Kind>,
  stop: () => void,
): Node[] {
  if (status !== 'expired' && status !== 'cancelled') return []
  const renew = async () => {
    stop()
    await options.requote()
  }
  return [
    button('Ask for a new price', renew, 'small'),
    button('Not now', () => [stop(), options.leave()], 'text-button'),
  ]
}

/** What became of the money. Whole sentences, because screen readers read them out. */
export function paymentStatusText(order: Order): string {
  const { status, received_raw: received, refunded_raw: refunded, payout } = order
  const isEnough = status === 'received' || status === 'paid'
  const why = isEnough ? 'was too much, and goes' : 'goes'
  const back = refunded === '0' ? '' : ` ${formatXno(refunded)} XNO ${why} back to where it came from.`
  const some = received !== '0'
  if (status === 'paid') return `Paid. The author has the money.${back}`
  if (status === 'received')
    return `Your payment is here. ${payout.status === 'blocked' ? 'The author will be paid later.' : 'The author is being paid.'}${back}`
  if (status === 'pending')
    return some
      ? `${formatXno(received)} XNO has come, ${formatXno(missingAmount(order))} XNO is missing. Send the rest to the same address.`
      : 'Waiting for your payment. This page notices it by itself.'
  const what = status === 'expired' ? 'The time for this price is over.' : 'This purchase was cancelled.'
  if (back !== '') return `${what}${back}`
  if (some)
    return `${what} ${formatXno(received)} XNO had come, which is too little: it goes back to you within an hour.`
  return `${what} If you have paid already, leave this page open: money that comes late still counts, or goes back to you.`
}

function formatCountdown(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`
}

import { formatAmount } from '@pennypost/contract/amount'
import type { Purchase, TipSession } from '@pennypost/contract/purchases'
import { copyable } from '../copy.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { watch } from '../live.ts'
import { qrCode } from '../qr/qr-code.ts'

// Money that is awaited at an address: what to send, how, until when, and what became of it. It is read out as it changes.

type Session = Pick<
  Purchase | TipSession,
  'id' | 'status' | 'amount_raw' | 'received_raw' | 'refunded_raw' | 'quote' | 'ephemeral_address' | 'payout'
>

interface Wish<Kind extends Session> {
  readonly place: HTMLElement
  readonly session: Kind
  readonly statusUrl: string
  readonly event: 'purchase' | 'tip'
  title(amount: string): string
  /** Asked once the time is over: only the service knows whether it is. */
  read(): Promise<Kind>
  /** The money is there in full. Called once. */
  granted(session: Kind): Promise<unknown>
  cancel?(): Promise<unknown>
  /** A new quote, after one that is over. */
  again(): Promise<unknown>
  leave(): void
}

export const xno = (raw: string | bigint): string => formatAmount('XNO', BigInt(raw))

export function nanoPayment<Kind extends Session>(wish: Wish<Kind>): void {
  const { place } = wish
  const title = h('h3', {})
  const status = h('p', { class: 'pay-status', role: 'status', 'aria-live': 'polite' })
  const timer = h('p', { class: 'hint', role: 'timer', 'aria-live': 'off' })
  const body = h('div', { class: 'pay-body' })
  const foot = h('div', { class: 'row' })
  let isGranted = false
  let isAsking = false
  let session = wish.session
  let shown = ''

  const stop = () => {
    silence()
    clearInterval(ticking)
  }
  const hear = async (told: Kind) => {
    session = told
    const words = statusWords(told)
    if (status.textContent !== words) status.textContent = words
    status.dataset.status = told.status
    draw()
    if (told.status === 'paid') stop()
    if (isGranted || (told.status !== 'received' && told.status !== 'paid')) return
    isGranted = true
    await wish.granted(told)
  }
  const draw = () => {
    const missing = missingOf(session)
    const now = `${session.status} ${missing}`
    if (now === shown) return
    shown = now
    const isAwaited = session.status === 'pending'
    title.textContent = isAwaited ? wish.title(xno(missing)) : ''
    body.replaceChildren(...(isAwaited ? [asking(session, missing)] : []))
    foot.replaceChildren(...(isAwaited ? givingUp(wish, stop) : over(session, wish, stop)))
  }
  const tick = async () => {
    if (!place.isConnected) return stop()
    const seconds = Math.floor((Date.parse(session.quote.expires_at) - Date.now()) / 1000)
    timer.textContent =
      session.status === 'pending' && seconds > 0 ? `This price holds for ${clockWords(seconds)}.` : ''
    if (session.status !== 'pending' || seconds > 0 || isAsking) return
    isAsking = true
    await hear(await wish.read().catch(() => session))
    // A clock that goes ahead asks again, but not all the time.
    setTimeout(() => {
      isAsking = false
    }, 15_000)
  }
  const silence = watch<Kind>(wish.statusUrl, wish.event, hear)
  const ticking = setInterval(tick, 1000)
  place.replaceChildren(
    h('section', { class: 'pay', 'aria-label': 'Payment with Nano' }, title, status, body, timer, foot),
  )
  hear(wish.session)
  tick()
}

const missingOf = ({ amount_raw, received_raw }: Session): bigint => {
  const missing = BigInt(amount_raw) - BigInt(received_raw)
  return missing > 0n ? missing : 0n
}

/** What to send: as a code, as a link, and as two things to copy. */
function asking(session: Session, missing: bigint): HTMLElement {
  // Whatever is paid with Nano has one.
  const { ephemeral_address: address, uri } = session.ephemeral_address!
  const amount = xno(missing)
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

function givingUp<Kind extends Session>({ cancel }: Wish<Kind>, stop: () => void): Node[] {
  if (!cancel) return []
  const act = async () => {
    await cancel()
    stop()
  }
  return [button('Cancel', act, 'text-button')]
}

/** Nothing is to be sent any more. */
function over<Kind extends Session>({ status }: Session, wish: Wish<Kind>, stop: () => void): Node[] {
  if (status !== 'expired' && status !== 'cancelled') return []
  const renew = async () => {
    stop()
    await wish.again()
  }
  return [button('Ask for a new price', renew, 'small'), button('Not now', () => [stop(), wish.leave()], 'text-button')]
}

/** What became of the money, whole sentences: they are read out. */
export function statusWords(session: Session): string {
  const { status, received_raw: received, refunded_raw: refunded, payout } = session
  const isEnough = status === 'received' || status === 'paid'
  const why = isEnough ? 'was too much, and goes' : 'goes'
  const back = refunded === '0' ? '' : ` ${xno(refunded)} XNO ${why} back to where it came from.`
  const some = received !== '0'
  if (status === 'paid') return `Paid. The author has the money.${back}`
  if (status === 'received')
    return `Your payment is here. ${payout.status === 'blocked' ? 'The author will be paid later.' : 'The author is being paid.'}${back}`
  if (status === 'pending')
    return some
      ? `${xno(received)} XNO has come, ${xno(missingOf(session))} XNO is missing. Send the rest to the same address.`
      : 'Waiting for your payment. This page notices it by itself.'
  const what = status === 'expired' ? 'The time for this price is over.' : 'This purchase was cancelled.'
  if (back !== '') return `${what}${back}`
  if (some) return `${what} ${xno(received)} XNO had come, which is too little: it goes back to you within an hour.`
  return `${what} If you have paid already, leave this page open: money that comes late still counts, or goes back to you.`
}

function clockWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`
}

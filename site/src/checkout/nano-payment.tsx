import type { NanoCheckout } from '@pennypost/contract/checkout'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatUsd } from '../components/price.tsx'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { type CheckoutStatus, watchCheckout } from './watch-checkout.ts'

// A Nano payment to an address of our own: what to send, until when, and what has arrived. Purchases and tips of guests and
// accounts look the same. Screen readers read out each change.

/** A checkout that was started, with where to pay. */
export interface StartedPayment {
  readonly checkout: NanoCheckout
  readonly address: string
  readonly uri: string
  readonly credential: string
  /** How far the service's clock is ahead of this device's, which may be wrong. */
  readonly clockAheadMs: number
}

interface NanoPaymentProps {
  readonly started: StartedPayment
  /** The price in US dollars; null if it is not known. */
  readonly usd: string | null
  /** Called once, when the full amount has arrived. */
  readonly onPaid: (status: CheckoutStatus) => unknown
  /** Starts a new payment after this one has expired. */
  readonly onRenew: () => unknown
  readonly onClose?: () => unknown
}

export const formatXno = (raw: string | bigint): string => formatAmount('XNO', amountOf('XNO', raw))

export function NanoPayment({ started, usd, onPaid, onRenew, onClose }: NanoPaymentProps) {
  const { credential } = started
  const { id } = started.checkout
  const [checkout, setCheckout] = useState(started.checkout)
  const watch = useRef<ReturnType<typeof watchCheckout>>(undefined)
  useEffect(() => {
    const take = (status: CheckoutStatus) => {
      setCheckout(status.checkout)
      if (status.checkout.status === 'paid') return onPaid(status)
    }
    watch.current = watchCheckout({ id, credential }, take)
    return watch.current.stop
  }, [id])
  const { status, kind } = checkout
  const isOpen = status === 'open'
  const isOver = status === 'expired' || status === 'cancelled'
  return (
    <section class="pay" aria-label="Payment with Nano">
      {isOpen && <PaymentTitle checkout={checkout} usd={usd} />}
      {isOpen && <PaymentRequest started={started} checkout={checkout} />}
      <p class="pay-status" role="status" aria-live="polite" data-status={status}>
        {paymentStatusText(checkout)}
      </p>
      {isOpen && (
        <Countdown
          words={kind === 'tip' ? 'Send it within' : 'Price guaranteed for'}
          until={Date.parse(checkout.expiresAt) - started.clockAheadMs}
          onEnd={() => watch.current?.refresh()}
        />
      )}
      {status !== 'paid' && (
        <div class="row">
          {isOver && (
            <Button class="small" action={onRenew}>
              {kind === 'tip' ? 'Start again' : 'Get a new price'}
            </Button>
          )}
          {onClose && (
            <Button class="text-button" action={onClose}>
              Cancel
            </Button>
          )}
        </div>
      )}
    </section>
  )
}

const missingAmount = ({ quote, receivedRaw }: NanoCheckout): bigint => {
  const missing = BigInt(quote.amountRaw) - BigInt(receivedRaw)
  return missing > 0n ? missing : 0n
}

interface PaymentTitleProps {
  readonly checkout: NanoCheckout
  readonly usd: string | null
}

/** The price: dollars first, and the exact amount beside them. */
function PaymentTitle({ checkout, usd }: PaymentTitleProps) {
  const amount = `${formatXno(missingAmount(checkout))} XNO`
  const dollars = formatUsd(usd)
  if (checkout.receivedRaw !== '0') return <h3>{amount} to go</h3>
  if (dollars === undefined) return <h3>Send {amount}</h3>
  return (
    <h3>
      Send {dollars} <span class="quiet">· {amount}</span>
    </h3>
  )
}

interface PaymentRequestProps {
  readonly started: StartedPayment
  readonly checkout: NanoCheckout
}

/** The payment to send: a QR code, a link, and the amount and address to copy. On a phone the link comes first. */
function PaymentRequest({ started: { address, uri }, checkout }: PaymentRequestProps) {
  const missing = missingAmount(checkout)
  const link = uri.replace(/amount=\d+/, `amount=${missing}`)
  const isTouch = matchMedia('(pointer: coarse)').matches
  const amount = formatXno(missing)
  const code = <QrCode text={link} label={`A code to scan with a Nano wallet: ${amount} XNO`} />
  const open = (
    <a class={isTouch ? 'button' : 'button quiet-button'} href={link}>
      Open my wallet
    </a>
  )
  return (
    <div class="pay-ways">
      {isTouch ? (
        <div class="pay-by-hand">
          {open}
          <p class="hint">Or scan the code from another device.</p>
          {code}
        </div>
      ) : (
        code
      )}
      <div class="pay-by-hand">
        {!isTouch && <p class="hint">Scan with your wallet, or open it on this device.</p>}
        {!isTouch && open}
        <Copyable name="Amount" value={amount} />
      </div>
      <div class="pay-address">
        <Copyable name="Address" value={address} />
      </div>
    </div>
  )
}

// Polls the service until it says that the price has expired.
const askAgainSeconds = 15

interface CountdownProps {
  readonly words: string
  /** On this device's clock. */
  readonly until: number
  readonly onEnd: () => unknown
}

function Countdown({ words, until, onEnd }: CountdownProps) {
  const secondsLeft = () => Math.floor((until - Date.now()) / 1000)
  const [seconds, setSeconds] = useState(secondsLeft)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsLeft()), 1000)
    return () => clearInterval(timer)
  }, [until])
  useEffect(() => {
    if (seconds <= 0 && seconds % askAgainSeconds === 0) onEnd()
  }, [seconds])
  return (
    <p class="hint" role="timer" aria-live="off">
      {seconds > 0 && `${words} ${formatCountdown(seconds)}.`}
    </p>
  )
}

function formatCountdown(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`
}

/** The status of the payment, in whole sentences because screen readers read them out. */
export function paymentStatusText(checkout: NanoCheckout): string {
  const { status, kind, receivedRaw: received, refundedRaw: refunded } = checkout
  const back = refunded === '0' ? '' : `${formatXno(refunded)} XNO`
  if (status === 'paid') {
    const paid = kind === 'tip' ? 'Thanks! Your tip has arrived.' : 'Paid.'
    return back === '' ? paid : `${paid} ${back} was too much and goes back to the sender.`
  }
  const some = received !== '0'
  if (status === 'open')
    return some
      ? `Received ${formatXno(received)} XNO. ${formatXno(missingAmount(checkout))} XNO to go, to the same address.`
      : 'Waiting for payment. This page updates automatically.'
  const expired = kind === 'tip' ? 'The time for this payment is over.' : 'This price has expired.'
  const what = status === 'expired' ? expired : 'This payment was cancelled.'
  if (back !== '') return `${what} ${back} goes back to the sender.`
  if (some)
    return `${what} Received ${formatXno(received)} XNO, which is not enough. It goes back to the sender within an hour.`
  return `${what} Already sent it? Leave this page open: a full payment that arrives late still counts, and anything else goes back to the sender.`
}

import { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { observeCall } from '../platform/outgoing/observe-call.ts'
import { sendToServer } from '../platform/outgoing/send-to-server.ts'
import type { RateConfig } from './settings.ts'

/** The price of one unit of an asset in US dollars, with the provider's timestamp. */
export interface Rate {
  readonly usd: string
  readonly at: Date
}

export interface Rates {
  readonly XNO: Rate
  readonly USDC: Rate
}

export interface RateSource {
  /** The newest pair, or undefined while no provider has replied. */
  current(): Rates | undefined
  /** For development: used until the source has something newer. */
  set(rates: Rates): void
  stop(): void
}

/** Converted offers are ready while both provider timestamps are at most 60 minutes old. */
const freshMs = 60 * 60_000

export const areFresh = (rates: Rates | undefined, now: Date): rates is Rates =>
  rates !== undefined && [rates.XNO, rates.USDC].every(({ at }) => now.getTime() - at.getTime() <= freshMs)

/** A price in dollars as a decimal string, above zero. */
const UsdPrice = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal number')
  .refine((text) => /[1-9]/.test(text), 'must be above zero')

/** Fixed rates that are always current, until they are set. */
function developmentRates(pair: { readonly XNO: string; readonly USDC: string }, clock: Clock): RateSource {
  let given: Rates | undefined
  let stamped: Rates | undefined
  // The timestamp changes once a minute, because offers are cached by their pair of rates.
  const ofThisMoment = (): Rates => {
    const at = new Date(Math.floor(clock.now().getTime() / 60_000) * 60_000)
    if (stamped?.XNO.at.getTime() !== at.getTime())
      stamped = { XNO: { usd: pair.XNO, at }, USDC: { usd: pair.USDC, at } }
    return stamped
  }
  return {
    current: () => given ?? ofThisMoment(),
    set: (rates) => {
      given = rates
    },
    stop: () => {},
  }
}

/** Opens the source in the settings. Without one, no price can be converted. */
export function openRates({ ratesUrl, ratesStatic }: RateConfig, clock: Clock, log: Log): RateSource {
  if (ratesUrl) return httpRates(ratesUrl, log)
  return ratesStatic
    ? developmentRates(ratesStatic, clock)
    : { current: () => undefined, set: () => {}, stop: () => {} }
}

const ProviderRate = z.object({ usd: UsdPrice, at: z.union([z.iso.datetime({ offset: true }), z.number()]) })
const ProviderReply = z.object({ XNO: ProviderRate, USDC: ProviderRate })
const pollEveryMs = 60_000
const timeoutMs = 10_000
const maxReplyBytes = 1024 * 1024

/** Polls a provider. While it is unreachable, the last rates stay and age by their own timestamps. */
function httpRates(url: string, log: Log): RateSource {
  let known: Rates | undefined
  const poll = async () => {
    try {
      known = await observeCall({ target: 'rates', what: 'GET' }, async (headers) => {
        const signal = AbortSignal.timeout(timeoutMs)
        const { text } = await sendToServer(url, { method: 'GET', headers, signal, maxBytes: maxReplyBytes })
        return readRates(JSON.parse(text))
      })
    } catch (error) {
      log.warn({ cause: error instanceof Error ? error.message : String(error) }, 'the rates provider did not reply')
    }
  }
  void poll()
  const timer = setInterval(poll, pollEveryMs)
  timer.unref()
  const set = (rates: Rates) => {
    known = rates
  }
  return { current: () => known, set, stop: () => clearInterval(timer) }
}

/** Throws if it is not what a provider sends. */
function readRates(reply: unknown): Rates {
  const { XNO, USDC } = ProviderReply.parse(reply)
  return { XNO: rateOf(XNO), USDC: rateOf(USDC) }
}

/** The rates in a provider's reply; undefined if it makes no sense. */
export function parseRates(text: string): Rates | undefined {
  try {
    return readRates(JSON.parse(text))
  } catch {
    return undefined
  }
}

// A number is Unix seconds, as most providers send it.
const rateOf = ({ usd, at }: z.infer<typeof ProviderRate>): Rate => ({
  usd,
  at: new Date(typeof at === 'number' ? at * 1000 : at),
})

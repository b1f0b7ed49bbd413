import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { captchaFailed } from '@pennypost/contract/sessions'
import { z } from 'zod'
import { refuse } from '../platform/http/refuse.ts'
import { observeCall } from '../platform/outgoing/observe-call.ts'
import type { AccountConfig } from './settings.ts'

// The part of the reply that Turnstile and hCaptcha have in common.
const Verdict = z.object({ success: z.boolean() })
const timeoutMs = 5_000

/** Checks the captcha token if a provider is configured. If the provider is down, the request is refused. */
export async function requireCaptcha(
  provider: AccountConfig['captcha'],
  token: string | undefined,
  ip: string,
): Promise<void> {
  if (!provider) return
  if (!token) refuse(captchaFailed)
  const { success } = await verifyToken(provider, token, ip)
  if (!success) refuse(captchaFailed)
}

async function verifyToken(
  provider: NonNullable<AccountConfig['captcha']>,
  token: string,
  ip: string,
): Promise<z.infer<typeof Verdict>> {
  try {
    return await observeCall({ target: 'captcha', what: 'POST' }, async () => {
      const response = await fetch(provider.url, {
        method: 'POST',
        body: new URLSearchParams({ secret: provider.secret, response: token, remoteip: ip }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      return Verdict.parse(await response.json())
    })
  } catch {
    return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 5 })
  }
}

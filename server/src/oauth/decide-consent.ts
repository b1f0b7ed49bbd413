import { consentExpired, consentNotYours, type decideConsent as declared } from '@pennypost/contract/oauth'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { readBrowserSession } from '../accounts/browser-session.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type Consent, readConsent } from './consent.ts'
import { createGrant, makeRoom } from './grant-store.ts'
import { withParameters } from './redirect-uri.ts'
import type { Handler } from './services.ts'

/** Sends the browser back to the program, with a code or with `access_denied`. */
export const decideConsent: Handler<typeof declared> = async (services, { headers, body, origin }) => {
  const { db, clock, secrets, origins } = services
  const now = clock.now()
  const consent = readConsent(secrets, body.request, now) ?? refuse(consentExpired)
  const { owner, setCookie } = await readBrowserSession(services, headers.cookie)
  // Sent with every reply: a renewed token that got lost would end the session.
  const cookie = setCookie === undefined ? {} : { 'set-cookie': setCookie }
  // The form belongs to a session. Since our pages send no referrer, browsers call the origin of the form `null`.
  const isFromOurPage =
    (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin' &&
    (headers.origin === undefined || headers.origin === 'null' || origins.isTrusted(headers.origin))
  if (!isFromOurPage || owner?.sessionId !== consent.sessionId) return refuse(consentNotYours, {}, { headers: cookie })
  const { accountId } = owner
  const { redirectUri, state } = consent
  const back = (parameters: Record<string, string>) =>
    ({
      status: 303,
      headers: {
        ...cookie,
        location: withParameters(redirectUri, { ...parameters, state, iss: origin }),
        'referrer-policy': 'no-referrer',
      },
    }) as const
  const scopes = chosenScopes(consent, body.scope)
  if (body.decision === 'decline' || scopes.length === 0)
    return back({ error: 'access_denied', error_description: 'The person has declined.' })
  const code = await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, accountId)
    await makeRoom(tx, accountId, now)
    return createGrant(tx, accountId, { ...consent, scopes }, now)
  })
  return back({ code: code ?? refuse(consentExpired, {}, { headers: cookie }) })
}

/** The requested scopes that the person left ticked. A single scope has no box: it is allowed or declined as a whole. */
function chosenScopes({ scopes }: Consent, chosen: string | readonly string[] | undefined): Consent['scopes'] {
  if (scopes.length === 1) return scopes
  const boxes = [chosen ?? []].flat()
  return scopes.filter((scope) => boxes.includes(scope))
}

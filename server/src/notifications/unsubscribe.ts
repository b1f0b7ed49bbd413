import { switchOfKind } from '@pennypost/contract/notification-preferences'
import {
  type showUnsubscribe as declaredShow,
  type unsubscribe as declaredUnsubscribe,
  unsubscribeLinkInvalid,
} from '@pennypost/contract/unsubscribe'
import type { Tx } from '../platform/database/database.ts'
import { html, page } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Secrets } from '../platform/secrets.ts'
import { kindLabels } from './notification-email.ts'
import { lockConfirmedEmail, turnOffEmailSwitch } from './preference-store.ts'
import type { Handler } from './services.ts'
import { isSignedFor, readUnsubscribeToken, type Unsubscription } from './unsubscribe-token.ts'

/** Asks for confirmation and changes nothing, because mail programs open links before people do. */
export const showUnsubscribe: Handler<typeof declaredShow> = async ({ db, secrets, site, createLayout }, { query }) => {
  const { kind } = await db.transaction().execute((tx) => checkLink(tx, secrets, query.token))
  const action = (scope: string) => `/unsubscribe?${new URLSearchParams({ token: query.token, scope })}`
  const shown = page({
    title: 'Unsubscribe',
    layout: createLayout(),
    body: html`<main id="main">
      <h1>Unsubscribe</h1>
      <p class="lead">${site.settings().name} sends you emails about ${kindLabels[kind]}.</p>
      <div class="row">
        <form method="post" action="${action('kind')}"><button type="submit">Stop emails about ${kindLabels[kind]}</button></form>
        <form method="post" action="${action('all')}"><button type="submit" class="quiet-button">Stop all notification emails</button></form>
      </div>
    </main>`,
  })
  return { status: 200, headers: shown.headers, body: shown.html }
}

export const unsubscribe: Handler<typeof declaredUnsubscribe> = async ({ db, secrets, createLayout }, { query }) => {
  const isAll = query.scope === 'all'
  const { kind } = await db.transaction().execute(async (tx) => {
    const link = await checkLink(tx, secrets, query.token)
    await turnOffEmailSwitch(tx, link.accountId, isAll ? 'email_notifications' : switchOfKind[link.kind])
    return link
  })
  const shown = page({
    title: 'Unsubscribed',
    layout: createLayout(),
    body: html`<main id="main">
      <h1>Unsubscribed</h1>
      <p>You will no longer get ${isAll ? 'notification emails' : `emails about ${kindLabels[kind]}`}. You can turn them on again in your <a href="/settings/notifications">settings</a>.</p>
    </main>`,
  })
  return { status: 200, headers: shown.headers, body: shown.html }
}

async function checkLink(tx: Tx, secrets: Secrets, token: string): Promise<Unsubscription> {
  const link = readUnsubscribeToken(token) ?? refuse(unsubscribeLinkInvalid)
  const address = (await lockConfirmedEmail(tx, link.accountId)) ?? refuse(unsubscribeLinkInvalid)
  return isSignedFor(secrets, link, address) ? link : refuse(unsubscribeLinkInvalid)
}

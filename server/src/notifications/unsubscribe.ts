import { switchOfKind } from '@pennypost/contract/notification-preferences'
import {
  type showUnsubscribe as declaredShow,
  type unsubscribe as declaredUnsubscribe,
  unsubscribeLinkInvalid,
} from '@pennypost/contract/unsubscribe'
import { html, page } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { kindWords } from './notification-letter.ts'
import { switchOffMail } from './preference-store.ts'
import { readUnsubscribeToken } from './unsubscribe-token.ts'

/** Looking changes nothing: mail programs open links before people do. */
export const showUnsubscribe: Handler<typeof declaredShow> = async ({ secrets }, { query }) => {
  const { kind } = readUnsubscribeToken(secrets, query.token) ?? refuse(unsubscribeLinkInvalid)
  const action = (scope: string) => `/unsubscribe?${new URLSearchParams({ token: query.token, scope })}`
  const shown = page({
    title: 'Stop mail',
    body: html`<main id="main">
      <h1>Stop mail</h1>
      <p>Pennypost mails you about ${kindWords[kind]}.</p>
      <form method="post" action="${action('kind')}"><button type="submit">Stop mail about ${kindWords[kind]}</button></form>
      <form method="post" action="${action('all')}"><button type="submit">Stop all mail about notifications</button></form>
    </main>`,
  })
  return { status: 200, headers: shown.headers, body: shown.html }
}

export const unsubscribe: Handler<typeof declaredUnsubscribe> = async ({ db, secrets }, { query }) => {
  const { accountId, kind } = readUnsubscribeToken(secrets, query.token) ?? refuse(unsubscribeLinkInvalid)
  const isAll = query.scope === 'all'
  await db
    .transaction()
    .execute((tx) => switchOffMail(tx, accountId, isAll ? 'email_notifications' : switchOfKind[kind]))
  const shown = page({
    title: 'Mail stopped',
    body: html`<main id="main">
      <h1>Mail stopped</h1>
      <p>You will get no more mail about ${isAll ? 'notifications' : kindWords[kind]}. Your settings can switch it on again.</p>
    </main>`,
  })
  return { status: 200, headers: shown.headers, body: shown.html }
}

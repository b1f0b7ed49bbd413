import type {
  confirmEmailByLink as declaredConfirm,
  showEmailConfirmation as declaredShow,
} from '@pennypost/contract/account-email'
import { invalidVerification } from '@pennypost/contract/sessions'
import { html, page } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import { confirmEmailChange } from './confirm-email-change.ts'
import { lockChangeByLink } from './email-change-store.ts'
import type { Handler } from './services.ts'

/** Shows the confirm button. Opening the page changes nothing, because some mail programs open links in advance. */
export const showEmailConfirmation: Handler<typeof declaredShow> = async ({ site, createLayout }, { query }) => {
  const action = `/auth/v1/verify?${new URLSearchParams({ token: query.token, type: query.type })}`
  const shown = page({
    title: 'Confirm your email address',
    layout: createLayout(),
    body: html`<main id="main">
      <h1>Confirm your email address</h1>
      <p>Press the button to use this email address for your account at ${site.settings().name}.</p>
      <form method="post" action="${action}"><button type="submit">Confirm this address</button></form>
    </main>`,
  })
  return { status: 200, headers: shown.headers, body: shown.html }
}

export const confirmEmailByLink: Handler<typeof declaredConfirm> = async ({ db, clock, createLayout }, { query }) => {
  const email = await db.transaction().execute(async (tx) => {
    const change = (await lockChangeByLink(tx, query.token, clock.now())) ?? refuse(invalidVerification)
    return confirmEmailChange(tx, clock, change)
  })
  const shown = page({
    title: 'Email address confirmed',
    layout: createLayout(),
    body: html`<main id="main"><h1>Email address confirmed</h1><p>Your account now uses <strong>${email}</strong>.</p></main>`,
  })
  return { status: 200, headers: shown.headers, body: shown.html }
}

import {
  type confirmSubscription as declaredConfirm,
  type endSubscription as declaredEnd,
  type showSubscriptionConfirmation as declaredShowConfirmation,
  type showSubscriptionEnd as declaredShowEnd,
  subscriptionLinkInvalid,
} from '@pennypost/contract/subscribers'
import { oneLine } from '@pennypost/site/clean-text'
import { creatorPath } from '@pennypost/site/paths'
import { type Html, html, page } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, SubscriptionServices } from './services.ts'
import { confirmSubscriber, endSubscriber, type FoundSubscriber, findSubscriber } from './subscriber-store.ts'
import { readSubscriptionToken } from './subscription-token.ts'

// The pages behind the links in emails. Opening one changes nothing, because mail programs open links before people do.

const reply = ({ createLayout }: SubscriptionServices, title: string, content: Html) => {
  const shown = page({
    title,
    layout: createLayout(),
    body: html`<main id="main"><h1>${title}</h1>${content}</main>`,
  })
  return { status: 200 as const, headers: shown.headers, body: shown.html }
}

const creatorLink = ({ name, handle }: FoundSubscriber): Html =>
  html`<a href="${creatorPath(handle)}">${oneLine(name)}</a>`

const form = (path: string, token: string, label: string): Html =>
  html`<form method="post" action="${path}?${new URLSearchParams({ token }).toString()}"><button type="submit">${label}</button></form>`

const subscribed = (services: SubscriptionServices, found: FoundSubscriber) =>
  reply(
    services,
    'You are subscribed',
    html`<p class="lead">New posts by ${creatorLink(found)} will be emailed to <strong>${found.email}</strong>. Every email has an unsubscribe link.</p>`,
  )

export const showSubscriptionConfirmation: Handler<typeof declaredShowConfirmation> = async (services, { query }) => {
  const id = readSubscriptionToken(services.secrets, 'confirm', query.token) ?? refuse(subscriptionLinkInvalid)
  const found = (await findSubscriber(services.db, id, services.clock.now())) ?? refuse(subscriptionLinkInvalid)
  if (found.is_confirmed) return subscribed(services, found)
  return reply(
    services,
    'Confirm your subscription',
    html`<p class="lead">Get new posts by ${creatorLink(found)} by email at <strong>${found.email}</strong>. ${oneLine(found.name)} sees your address.</p>
      ${form('/subscriptions/confirm', query.token, 'Confirm subscription')}`,
  )
}

export const confirmSubscription: Handler<typeof declaredConfirm> = async (services, { query }) => {
  const { db, clock, secrets } = services
  const id = readSubscriptionToken(secrets, 'confirm', query.token) ?? refuse(subscriptionLinkInvalid)
  const found = await db.transaction().execute(async (tx) => {
    const subscriber = (await findSubscriber(tx, id, clock.now())) ?? refuse(subscriptionLinkInvalid)
    await confirmSubscriber(tx, secrets, id, clock.now())
    return subscriber
  })
  return subscribed(services, found)
}

const ended = (services: SubscriptionServices) =>
  reply(
    services,
    'Unsubscribed',
    html`<p class="lead">You will get no more of these emails, and we deleted your address.</p>`,
  )

export const showSubscriptionEnd: Handler<typeof declaredShowEnd> = async (services, { query }) => {
  const id = readSubscriptionToken(services.secrets, 'unsubscribe', query.token) ?? refuse(subscriptionLinkInvalid)
  const found = await findSubscriber(services.db, id, services.clock.now())
  if (!found) return ended(services)
  return reply(
    services,
    'Unsubscribe',
    html`<p class="lead">New posts by ${creatorLink(found)} are emailed to <strong>${found.email}</strong>.</p>
      ${form('/subscriptions/unsubscribe', query.token, 'Unsubscribe')}`,
  )
}

/** The link keeps working after the end of the subscription: mail programs may send their request twice. */
export const endSubscription: Handler<typeof declaredEnd> = async (services, { query }) => {
  const { db, clock, secrets } = services
  const id = readSubscriptionToken(secrets, 'unsubscribe', query.token) ?? refuse(subscriptionLinkInvalid)
  await db.transaction().execute((tx) => endSubscriber(tx, secrets, id, 'unsubscribed', clock.now()))
  return ended(services)
}

import { equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { importSubscribers, listSubscribers, subscribe } from '@pennypost/contract/subscribers'
import PostalMime from 'postal-mime'
import { mailbox } from '../platform/mail/mailbox.fixture.ts'
import { payable } from '../posts/posts.fixture.ts'
import type { Creator } from '../test/people.ts'
import { emptiedWorld, type World } from '../test/world.ts'
import type { SubscriptionServices } from './services.ts'

/** An author with subscribers of an imported list. */
export async function authorWith(world: World, emails: readonly string[] = []): Promise<Creator> {
  const author = await payable(await world.creator({ name: 'Ada' }))
  if (emails.length > 0) await imports(author, emails)
  return author
}

export async function imports(author: Creator, emails: readonly string[]) {
  const { body, status } = await author.owner.calls(importSubscribers, {
    body: { emails: [...emails], consent: true, consentSource: 'my old newsletter' },
  })
  equal(status, 200, JSON.stringify(body))
  return body
}

/** The addresses on an author's list, newest first. */
export const subscribersOf = async ({ owner }: Creator): Promise<string[]> =>
  (await owner.calls(listSubscribers, {})).body.subscribers.map(({ email }: { email: string }) => email)

export const countOf = async ({ owner }: Creator): Promise<number> =>
  (await owner.calls(listSubscribers, {})).body.count

/** Asks to subscribe, without an account. */
export const asks = async (world: World, { handle }: Pick<Creator, 'handle'>, email: string) =>
  world.stranger().calls(subscribe, { params: { handle }, body: { email } })

/** The link in the newest confirmation email to an address. */
export async function confirmationLink(world: World, email: string): Promise<string> {
  await world.runJobs()
  const [newest] = (await world.mailTo(email)).filter(({ subject }) => subject.startsWith('Confirm your subscription'))
  return /\/subscriptions\/confirm\?token=\S+/.exec(newest!.text)![0]
}

type MailboxOptions = Parameters<typeof mailbox>[2]

/** A world that sends through a real SMTP server. */
export async function worldWithMailbox(t: TestContext, options: MailboxOptions = {}) {
  const { mailer, received } = await mailbox(t, [], options)
  const world = await emptiedWorld(t)
  const services = world.services as { mailer: SubscriptionServices['mailer'] }
  const { mailer: capturing } = services
  services.mailer = mailer
  t.after(() => {
    services.mailer = capturing
  })
  const emails = () => Promise.all(received.map(({ raw }) => PostalMime.parse(raw)))
  const recipients = () => received.map((email) => email.recipients[0]!)
  return { world, received, emails, recipients }
}

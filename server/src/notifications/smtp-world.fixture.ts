import type { TestContext } from 'node:test'
import PostalMime from 'postal-mime'
import { mailbox } from '../platform/mail/mailbox.fixture.ts'
import { emptiedWorld } from '../test/world.ts'
import type { NotificationServices } from './services.ts'

/** A world that sends notifications to a real SMTP server. People register with captured mail first. */
export async function worldWithSmtp(t: TestContext, refusals: number[] = []) {
  const { mailer, received } = await mailbox(t, refusals)
  const world = await emptiedWorld(t)
  const reader = await world.reader({ name: 'Grace' })
  const services = world.services as { mailer: NotificationServices['mailer'] }
  const { mailer: capturing } = services
  services.mailer = mailer
  t.after(() => {
    services.mailer = capturing
  })
  const emails = () => Promise.all(received.map(({ raw }) => PostalMime.parse(raw)))
  return { world, reader, received, emails }
}

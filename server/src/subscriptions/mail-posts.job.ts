import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { enqueue } from '../platform/jobs/job.ts'
import { emailSender } from '../platform/mail/email-sender.ts'
import { MailRefused, MailUncertain } from '../platform/mail/mail.ts'
import { findMailedPost, type MailedPost } from './mailed-post-store.ts'
import {
  findNextMailing,
  giveUpUncertainEmails,
  type Outcome,
  type PostRecipient,
  takeNextEmails,
} from './mailing-store.ts'
import { type PostEmail, postEmail } from './post-email.ts'
import type { Job, SubscriptionServices } from './services.ts'
import { endSubscriber } from './subscriber-store.ts'
import { returnPath, subscriptionUrl } from './subscription-token.ts'

const payload = z.object({ creatorId: z.uuid() })

const queue = 'post-emails'

/** How many emails are stored and sent together. If the process dies, nobody knows what became of at most this many. */
const batchSize = 10
/** The length of a turn. It is short, so that other authors get theirs and a stopping process can wait for its end. */
const turnMs = 3_000
/** The wait after the first attempt; it triples with each further one. */
const firstRetryMs = 5 * 60_000
const maxAttempts = 5
/** If more than half of at least this many addresses are refused, we suspect the mail server and not the addresses. */
const suspiciousRefusals = 10

/** The key of the job that mails an author's posts. An author has at most one of these jobs. */
export const mailingsKey = (creatorId: string): string => `mail-posts:${creatorId}`

/**
 * Mails the posts of an author to their subscribers, the oldest first, a few emails at a time. There is one job for an
 * author however many posts and subscribers they have. All authors share one queue, so that the configured rate holds for
 * all of them together. They take turns: after its turn, an author waits until all others have had one.
 */
export const mailPosts: Job<typeof payload> = {
  name: 'mail-posts',
  payload,
  queue: () => queue,
  attempts: 20,
  share: 'deliveries',
  lowPriority: true,
  async run(services, { creatorId }) {
    const { db, clock } = services
    const endsAt = performance.now() + turnMs
    let next = await findNextMailing(db, creatorId, clock.now())
    while (next && next.due_at <= clock.now() && performance.now() < endsAt) {
      await mailPost(services, next.post_id, endsAt)
      next = await findNextMailing(db, creatorId, clock.now())
    }
    if (next) await takeTurnAt(services, creatorId, next.due_at)
  },
}

/** The next turn of this author, behind those who wait. */
const takeTurnAt = ({ db, clock }: SubscriptionServices, creatorId: string, dueAt: Date): Promise<void> =>
  db.transaction().execute((tx) => {
    const runAt = dueAt > clock.now() ? dueAt : clock.now()
    return enqueue(tx, clock, mailPosts, { creatorId }, { key: mailingsKey(creatorId), runAt })
  })

/** Mails a post until the turn ends, or nothing of it is due. */
async function mailPost(services: SubscriptionServices, postId: string, endsAt: number): Promise<void> {
  const { db, clock, log } = services
  const lost = await giveUpUncertainEmails(db, postId)
  if (lost > 0) log.warn({ postId, emails: lost }, 'emails whose sending was interrupted are not sent again')
  const post = await findMailedPost(db, postId)
  const emails = post && createEmails(services, post)
  const bad: string[] = []
  let outcomes: Outcome[] = []
  let sent = 0
  let failure: unknown
  for (;;) {
    const isOver = !emails || failure !== undefined || performance.now() >= endsAt
    const taking = { postId, outcomes, limit: isOver ? 0 : batchSize, now: clock.now() }
    const next = await db.transaction().execute((tx) => takeNextEmails(tx, services, taking))
    if (next.state !== 'sending') break
    const results = await sendBatch(services, emails!, next.recipients)
    outcomes = results.map(({ outcome }) => outcome)
    sent += results.length
    bad.push(...results.flatMap(({ outcome, isAddressBad }) => (isAddressBad ? [outcome.id] : [])))
    failure = failureOf(results)
  }
  await endBadAddresses(services, postId, bad, sent)
  // Retried with growing pauses, like any job.
  if (failure !== undefined) throw failure
}

interface Emails {
  readonly post: MailedPost
  readonly siteName: string
  readonly listId: string
  readonly archiveUrl: string
  /** Typeset when the first subscriber needs it. */
  of(recipient: PostRecipient): PostEmail
}

function createEmails(services: SubscriptionServices, post: MailedPost): Emails {
  const sender = emailSender(services)
  const free = postEmail(sender, post, false)
  let whole: PostEmail | undefined
  const { host } = new URL(sender.origin)
  return {
    post,
    siteName: sender.name,
    listId: `<${post.handle.toLowerCase()}.${host}>`,
    archiveUrl: `${sender.origin}/@${post.handle}`,
    of({ has_bought: isWhole }) {
      if (!isWhole || post.paid_html === '') return free
      whole ??= postEmail(sender, post, true)
      return whole
    },
  }
}

interface Result {
  readonly outcome: Outcome
  readonly isAddressBad: boolean
  readonly error?: unknown
  /** Whether the mail server itself could not be used. */
  readonly isServerAway: boolean
}

/** Sends a batch, at most as fast as the setting allows. */
async function sendBatch(
  services: SubscriptionServices,
  emails: Emails,
  recipients: readonly PostRecipient[],
): Promise<Result[]> {
  const pause = wait((recipients.length / services.config.postEmailsPerSecond) * 1000)
  const results = await Promise.all(recipients.map((recipient) => sendOne(services, emails, recipient)))
  await pause
  return results
}

async function sendOne(services: SubscriptionServices, emails: Emails, recipient: PostRecipient): Promise<Result> {
  const { clock, config, mailer, origins, secrets } = services
  const { id, source, attempts } = recipient
  const unsubscribeUrl = subscriptionUrl(origins.base, secrets, 'unsubscribe', id)
  const finished = (state: 'sent' | 'refused' | 'uncertain', isAddressBad = false): Result => ({
    outcome: { id, state },
    isAddressBad,
    isServerAway: false,
  })
  try {
    await mailer.send({
      ...emails.of(recipient).write({ unsubscribeUrl, source }),
      to: recipient.email,
      messageId: `post-${emails.post.id}-${id}`,
      fromName: `${emails.post.name} (${emails.siteName})`.replace(/\s+/g, ' '),
      ...(config.bounceAddress && { returnPath: returnPath(config.bounceAddress, secrets, id) }),
      isBulk: true,
      headers: {
        'List-Id': emails.listId,
        'List-Archive': `<${emails.archiveUrl}>`,
        // RFC 8058: mail programs show an unsubscribe button that works with one click.
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
    return finished('sent')
  } catch (error) {
    if (error instanceof MailRefused) return finished('refused', error.isAddressBad)
    if (error instanceof MailUncertain) return finished('uncertain')
    // With a code, the server deferred this email. Without one, or with 421, the server is unavailable.
    const { responseCode } = error as { responseCode?: number }
    const isServerAway = responseCode === undefined || responseCode === 421
    if (!isServerAway && attempts >= maxAttempts) return finished('refused')
    const delayMs = isServerAway ? 0 : firstRetryMs * 3 ** (attempts - 1)
    const retryAt = new Date(clock.now().getTime() + delayMs)
    return {
      outcome: { id, state: 'waiting', retryAt, isCounted: !isServerAway },
      isAddressBad: false,
      isServerAway,
      error,
    }
  }
}

/** The reason to pause the mailing: the server is unavailable or defers everything. */
function failureOf(results: readonly Result[]): unknown {
  const away = results.find(({ isServerAway }) => isServerAway)
  if (away) return away.error
  const isAllPutOff = results.length >= batchSize / 2 && results.every(({ outcome }) => outcome.state === 'waiting')
  return isAllPutOff ? results[0]!.error : undefined
}

/** Ends the subscriptions of addresses that do not exist, unless too many were refused: then the mail server must be wrong. */
async function endBadAddresses(
  { db, clock, secrets, log }: SubscriptionServices,
  postId: string,
  bad: readonly string[],
  sent: number,
): Promise<void> {
  if (sent >= suspiciousRefusals && bad.length > sent / 2) {
    log.error({ postId, refused: bad.length, sent }, 'the mail server refuses most subscribers; they stay subscribed')
    return
  }
  for (const id of bad) await db.transaction().execute((tx) => endSubscriber(tx, secrets, id, 'bounced', clock.now()))
}

const oldPayload = z.object({ postId: z.uuid() })

/** The job of the previous version, which had one for each post. It leads to that of the author. */
export const mailOnePost: Job<typeof oldPayload> = {
  name: 'mail-post',
  payload: oldPayload,
  queue: () => queue,
  attempts: 20,
  share: 'deliveries',
  lowPriority: true,
  async run(services, { postId }) {
    const { db, clock } = services
    const mailing = await db
      .selectFrom('post_mailings')
      .select('creator_id')
      .where('post_id', '=', postId)
      .executeTakeFirst()
    if (mailing) await takeTurnAt(services, mailing.creator_id, clock.now())
  },
}

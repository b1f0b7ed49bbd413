import { randomUUID } from 'node:crypto'
import { keyIdempotency } from '@pennypost/contract/idempotency'
import type { createPost as declared, Post } from '@pennypost/contract/posts'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { customerNetwork } from '../platform/http/client-address.ts'
import { withIdempotencyKey } from '../platform/idempotency.ts'
import { noUploads } from '../uploads/post-uploads.ts'
import { nextRevision } from '../uploads/revision.ts'
import { requireDraftQuota } from './draft-quota.ts'
import { rendererVersion } from './markdown/renderer-version.ts'
import { postChangeOf, priceAfter } from './post-content.ts'
import { noFigures } from './post-figures.ts'
import { addPost } from './post-store.ts'
import { writerOf } from './post-writers.ts'
import { readOwnPost, viewOwnPost } from './read-own-post.ts'
import type { Handler } from './services.ts'
import { replaceTags } from './tag-store.ts'

export const createPost: Handler<typeof declared> = async (services, { caller, body, idempotencyKey, ip, origin }) => {
  const { db, clock, renderer } = services
  const now = clock.now()
  const sender = { accountId: caller.accountId, network: customerNetwork(ip) }
  const change = await postChangeOf(renderer, sender, body, emptyPost)
  const request = {
    flavour: keyIdempotency,
    scope: `createPost ${caller.accountId}`,
    key: idempotencyKey,
    intent: body,
    now,
  }
  let view: Post | undefined
  const created = await withIdempotencyKey(db, request, async (tx) => {
    await lockOwnAccount(tx, caller.accountId)
    const post = await addPost(tx, {
      ...emptyPost,
      ...change,
      ...priceAfter(body, emptyPost),
      title: body.title,
      slug: change.slug!,
      id: randomUUID(),
      account_id: caller.accountId,
      written_by_key: writerOf(caller),
      created_at: now,
      updated_us: nextRevision(0n, now).toString(),
    })
    if (body.tags !== undefined) await replaceTags(tx, caller.accountId, post.id, body.tags, now)
    await requireDraftQuota(tx, services, caller.accountId)
    const isTagged = body.tags !== undefined && body.tags.length > 0
    const known = { uploads: noUploads, figures: noFigures, tags: isTagged ? undefined : [] }
    view = await viewOwnPost(services, tx, post, origin, known)
    return { status: 201, body: { id: post.id } }
  })
  return {
    status: 201,
    ...(created.replayed && { headers: { 'x-idempotency-replay': 'true' } }),
    body: view ?? (await readOwnPost(services, caller.accountId, created.body.id, origin)),
  }
}

/** The columns of an empty draft. */
export const emptyPost = {
  status: 'draft',
  description: '',
  free_markdown: '',
  free_html: '',
  free_text: '',
  paid_markdown: '',
  paid_html: '',
  paid_text: '',
  renderer_version: rendererVersion,
  has_paywall: false,
  price_currency: null,
  price_atomic: null,
  category: null,
  language: null,
  creation_method: null,
  creation_details: null,
  creation_attested: false,
  comments_enabled: true,
  agent_comments_enabled: true,
  search_paid_content: true,
  math: false,
  canonical_url: null,
  written_by_key: null,
  published_at: null,
  imported_at: null,
  scheduled_for: null,
  withdrawn_at: null,
  withdrawn_by_admin_at: null,
} as const

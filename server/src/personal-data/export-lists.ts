// Everything that is a list: one JSON array in the archive for each, read in pages by time and id. Nothing here is secret:
// tokens, codes and keys are stored as hashes, which are left out too. Of other people there is what the account sees on the
// site: names and handles, never an email address or a wallet.

/** A list of the account, read in pages. */
export interface List {
  readonly path: string
  readonly about: string
  /** Its tables, with the condition for the account `$1`. */
  readonly from: string
  /** What a page is ordered by: a time that never changes, and an id. */
  readonly at: string
  readonly id: string
  readonly fields: Readonly<Record<string, string>>
}

const person = (account: string): string => `json_build_object('handle', ${account}.handle, 'name', ${account}.name)`

export const lists: readonly List[] = [
  {
    path: 'account/sessions.json',
    about: 'where you are or were signed in during the last weeks. Their tokens are not here.',
    from: 'sessions s WHERE s.account_id = $1',
    at: 's.created_at',
    id: 's.id',
    fields: {
      id: 's.id',
      kind: 's.kind',
      device: 's.device',
      startedAt: 's.created_at',
      renewedAt: 's.rotated_at',
      lastUsedAt: 's.last_used_at',
      expiresAt: 's.expires_at',
      endedAt: 's.ended_at',
    },
  },
  {
    path: 'account/publishing-keys.json',
    about: 'your publishing keys, without their secrets.',
    from: 'publishing_keys k WHERE k.account_id = $1',
    at: 'k.created_at',
    id: 'k.id',
    fields: {
      id: 'k.id',
      label: 'k.label',
      createdAt: 'k.created_at',
      expiresAt: 'k.expires_at',
      revokedAt: 'k.revoked_at',
      lastUsedAt: 'k.last_used_at',
    },
  },
  {
    path: 'account/browsers-with-push.json',
    about: 'browsers that get push notifications, by the service that delivers them.',
    from: 'push_subscriptions p WHERE p.account_id = $1',
    at: 'p.created_at',
    id: 'p.id',
    fields: { service: "split_part(p.endpoint, '/', 3)", createdAt: 'p.created_at' },
  },
  {
    path: 'account/muted-posts.json',
    about: 'discussions you get no notifications about.',
    from: 'notification_mutes m WHERE m.account_id = $1',
    at: 'm.muted_at',
    id: 'm.post_id',
    fields: { postId: 'm.post_id', mutedAt: 'm.muted_at' },
  },
  {
    path: 'account/notifications.json',
    about: 'the notifications you got.',
    from: 'notifications n WHERE n.account_id = $1',
    at: 'n.created_at',
    id: 'n.id',
    fields: {
      kind: 'n.kind',
      title: 'n.title',
      text: 'n.body',
      url: 'n.url',
      createdAt: 'n.created_at',
      readAt: 'n.read_at',
    },
  },
  {
    path: 'account/uploads.json',
    about: 'the files you uploaded, also those that are not in this archive because they were rejected or replaced.',
    from: 'upload_operations u LEFT JOIN attachments a ON a.operation_id = u.id WHERE u.account_id = $1',
    at: 'u.created_at',
    id: 'u.id',
    fields: {
      id: 'u.id',
      kind: 'u.target_kind',
      belongsTo: 'u.target_id',
      filename: 'a.filename',
      state: 'u.state',
      sizeBytes: 'u.size_bytes',
      contentType: 'u.content_type',
      sha256: 'u.sha256',
      createdAt: 'u.created_at',
    },
  },
  {
    path: 'posts/tags.json',
    about: 'the tags you made.',
    from: 'tags t WHERE t.account_id = $1',
    at: 't.created_at',
    id: 't.id',
    fields: { id: 't.id', name: 't.name', slug: 't.slug', createdAt: 't.created_at' },
  },
  {
    path: 'posts/series.json',
    about: 'your series, with their posts in order.',
    from: 'series s WHERE s.account_id = $1',
    at: 's.created_at',
    id: 's.id',
    fields: {
      id: 's.id',
      title: 's.title',
      postIds:
        "(SELECT coalesce(json_agg(m.post_id ORDER BY m.position), '[]') FROM series_posts m WHERE m.series_id = s.id)",
      createdAt: 's.created_at',
    },
  },
  {
    path: 'posts/gift-links.json',
    about: 'your gift links and how often they were used, without the links themselves.',
    from: 'gift_links g JOIN posts p ON p.id = g.post_id WHERE p.account_id = $1',
    at: 'g.created_at',
    id: 'g.id',
    fields: { postId: 'g.post_id', createdAt: 'g.created_at', disabledAt: 'g.disabled_at', uses: 'g.uses' },
  },
  {
    path: 'posts/statistics.json',
    about: 'readers and paywall views of your posts for each day.',
    from: 'post_days d WHERE d.account_id = $1',
    at: "(d.day::timestamp AT TIME ZONE 'UTC')",
    id: 'd.post_id',
    fields: { day: 'd.day', postId: 'd.post_id', readers: 'd.readers', paywallViews: 'd.paywall_views' },
  },
  {
    path: 'people/comments.json',
    about: 'what you wrote under posts, also what was deleted since.',
    from: 'comments c WHERE c.author_id = $1',
    at: 'c.created_at',
    id: 'c.id',
    fields: {
      id: 'c.id',
      postId: 'c.post_id',
      replyTo: 'c.reply_target_id',
      text: 'c.content',
      createdAt: 'c.created_at',
      deletedAt: 'c.deleted_at',
    },
  },
  {
    path: 'people/reactions-to-posts.json',
    about: 'your reactions to posts.',
    from: 'post_reactions r WHERE r.account_id = $1',
    at: 'r.created_at',
    id: 'r.post_id',
    fields: { postId: 'r.post_id', reaction: 'r.reaction', createdAt: 'r.created_at' },
  },
  {
    path: 'people/reactions-to-comments.json',
    about: 'your reactions to comments.',
    from: 'comment_reactions r WHERE r.account_id = $1',
    at: 'r.created_at',
    id: 'r.comment_id',
    fields: { commentId: 'r.comment_id', reaction: 'r.reaction', createdAt: 'r.created_at' },
  },
  {
    path: 'people/following.json',
    about: 'whom you follow.',
    from: 'follows f JOIN accounts c ON c.id = f.creator_id WHERE f.follower_id = $1',
    at: 'f.created_at',
    id: 'f.id',
    fields: {
      creator: person('c'),
      since: 'f.created_at',
      notifyNewPosts: 'f.notify_new_posts',
      byEmail: 'f.notify_channel_email',
      onSite: 'f.notify_channel_inapp',
    },
  },
  {
    path: 'people/followers.json',
    about: 'who follows you.',
    from: 'follows f JOIN accounts c ON c.id = f.follower_id WHERE f.creator_id = $1',
    at: 'f.created_at',
    id: 'f.id',
    fields: { follower: person('c'), since: 'f.created_at' },
  },
  {
    path: 'people/bookmarks.json',
    about: 'the posts you saved. The title is there while the post is published.',
    from: 'bookmarks b JOIN posts p ON p.id = b.post_id WHERE b.account_id = $1',
    at: 'b.created_at',
    id: 'b.post_id',
    fields: {
      postId: 'b.post_id',
      title: "CASE WHEN p.status = 'published' THEN p.title END",
      savedAt: 'b.created_at',
    },
  },
  {
    path: 'people/email-subscriptions.json',
    about: 'whose new posts you get by email.',
    from: `accounts me JOIN subscribers s ON s.email = me.email AND s.position IS NOT NULL
      JOIN accounts c ON c.id = s.creator_id WHERE me.id = $1`,
    at: 's.created_at',
    id: 's.id',
    fields: { creator: person('c'), since: 's.confirmed_at' },
  },
  {
    path: 'people/reports.json',
    about: 'posts and comments that you reported.',
    from: 'reports r WHERE r.reporter_id = $1',
    at: 'r.created_at',
    id: 'r.id',
    fields: {
      postId: 'r.post_id',
      commentId: 'r.comment_id',
      reason: 'r.reason',
      state: 'r.state',
      createdAt: 'r.created_at',
    },
  },
  {
    path: 'people/subscriber-imports.json',
    about: 'lists of subscribers that you imported, with what you said about their consent.',
    from: 'subscriber_imports i WHERE i.creator_id = $1',
    at: 'i.created_at',
    id: 'i.id',
    fields: {
      consentSource: 'i.consent_source',
      total: 'i.total',
      imported: 'i.imported',
      createdAt: 'i.created_at',
    },
  },
  {
    path: 'money/orders.json',
    about: 'your purchases and the tips you gave, paid or not, with their receipts on the chain.',
    from: `orders o JOIN posts p ON p.id = o.post_id
      WHERE (o.payer_id = $1 OR o.claimed_by = $1)`,
    at: 'o.created_at',
    id: 'o.id',
    fields: {
      id: 'o.id',
      kind: 'o.kind',
      state: 'o.state',
      postId: 'o.post_id',
      title: 'p.title',
      commentId: 'o.comment_id',
      message: 'o.message',
      asset: 'o.asset',
      amountAtomic: 'o.amount_raw::text',
      wallet: 'o.payer_wallet',
      transactions: `CASE WHEN o.transaction IS NOT NULL THEN json_build_array(o.transaction)
        ELSE (SELECT coalesce(json_agg(h.hash ORDER BY h.hash), '[]') FROM order_arrivals h WHERE h.order_id = o.id) END`,
      createdAt: 'o.created_at',
      receivedAt: 'o.received_at',
      paidAt: 'o.paid_at',
    },
  },
  {
    path: 'money/tips-received.json',
    about: 'tips that you got, with their messages.',
    from: `orders o LEFT JOIN accounts payer ON payer.id = o.payer_id
      WHERE o.payee_id = $1 AND o.kind = 'tip' AND o.received_at IS NOT NULL`,
    at: 'o.received_at',
    id: 'o.id',
    fields: {
      id: 'o.id',
      postId: 'o.post_id',
      commentId: 'o.comment_id',
      from: `CASE WHEN payer.id IS NOT NULL THEN ${person('payer')} END`,
      message: 'o.message',
      asset: 'o.asset',
      amountAtomic: 'o.amount_raw::text',
      commissionAtomic: 'o.commission_raw::text',
      receivedAt: 'o.received_at',
    },
  },
  {
    path: 'money/payouts.json',
    about: 'what was sent, or is still owed, to your Nano address.',
    from: "payouts p WHERE p.payee_id = $1 AND p.role = 'creator'",
    at: 'p.created_at',
    id: 'p.id',
    fields: {
      id: 'p.id',
      orderId: 'p.order_id',
      state: 'p.state',
      address: 'p.destination',
      amountRaw: 'p.amount::text',
      blockHash: 'p.block_hash',
      createdAt: 'p.created_at',
      confirmedAt: 'p.confirmed_at',
    },
  },
]

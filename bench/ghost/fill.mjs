import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'

const atATime = 200

/** Writes posts into Ghost's tables, and keys for both of its APIs. Returns the keys and the ids of the posts. */
export async function fillGhost(client, posts) {
  const [[author]] = await client.query('SELECT id FROM users ORDER BY created_at LIMIT 1')
  const ids = posts.map(() => newId())
  for (let from = 0; from < posts.length; from += atATime) {
    const some = posts.slice(from, from + atATime)
    const rows = some.map(({ title, slug, html, text, publishedAt }, index) => [
      ids[from + index],
      randomUUID(),
      title,
      slug,
      html,
      text,
      ids[from + index],
      'post',
      'published',
      'public',
      'all',
      publishedAt,
      publishedAt,
      publishedAt,
    ])
    await client.query(
      `INSERT INTO posts (id, uuid, title, slug, html, plaintext, comment_id, type, status, visibility, email_recipient_filter,
        created_at, updated_at, published_at) VALUES ?`,
      [rows],
    )
    await client.query('INSERT INTO posts_authors (id, post_id, author_id, sort_order) VALUES ?', [
      some.map((_, index) => [newId(), ids[from + index], author.id, 0]),
    ])
  }
  await client.query('ANALYZE TABLE posts, posts_authors')
  return { ids, ...(await addKeys(client)) }
}

async function addKeys(client) {
  const integration = newId()
  const now = new Date()
  await client.query(
    `INSERT INTO integrations (id, type, name, slug, created_at) VALUES (?, 'custom', 'Bench', 'bench', ?)`,
    [integration, now],
  )
  const [[role]] = await client.query(`SELECT id FROM roles WHERE name = 'Admin Integration'`)
  const contentKey = createHash('sha256').update(randomBytes(16)).digest('hex').slice(0, 26)
  const adminKey = { id: newId(), secret: randomBytes(32).toString('hex') }
  await client.query(
    `INSERT INTO api_keys (id, type, secret, role_id, integration_id, created_at) VALUES (?, 'content', ?, NULL, ?, ?), (?, 'admin', ?, ?, ?, ?)`,
    [newId(), contentKey, integration, now, adminKey.id, adminKey.secret, role.id, integration, now],
  )
  return { contentKey, adminKey }
}

const newId = () => randomBytes(12).toString('hex')

/** Publishes a post through the Admin API. */
export async function publishInGhost(origin, { id, secret }, { title, html }) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const seconds = Math.floor(Date.now() / 1000)
  const signed = `${part({ alg: 'HS256', typ: 'JWT', kid: id })}.${part({ iat: seconds, exp: seconds + 300, aud: '/admin/' })}`
  const signature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64url')
  const reply = await fetch(`${origin}/ghost/api/admin/posts/?source=html`, {
    method: 'POST',
    headers: {
      authorization: `Ghost ${signed}.${signature}`,
      'content-type': 'application/json',
      'accept-version': 'v6.0',
    },
    body: JSON.stringify({ posts: [{ title, html, status: 'published' }] }),
  })
  if (reply.status !== 201) throw new Error(`Ghost did not publish: ${reply.status} ${await reply.text()}`)
  await reply.arrayBuffer()
}

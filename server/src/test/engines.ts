import pg from 'pg'
import { objectStoreUrl } from '../platform/files/settings.ts'
import type { Scope } from './shared.ts'

/**
 * Settings of a world that stores what it has on separate servers, as a deployment on several machines does: its database
 * behind a pooler, its rate limits in a Redis database and its files in a bucket, each of this world alone. Without these
 * servers: none. `npm run cluster -- test --api` starts them.
 */
export async function engineSettings(t: Scope, databaseUrl: string): Promise<Record<string, string>> {
  const { TEST_POOLER_URL, TEST_REDIS_URL, TEST_OBJECT_STORE } = process.env
  return {
    ...(TEST_POOLER_URL && { DATABASE_URL: throughPooler(databaseUrl), DATABASE_DIRECT_URL: databaseUrl }),
    ...(TEST_REDIS_URL && { REDIS_URL: await nextRedisDatabase(TEST_REDIS_URL) }),
    ...(TEST_OBJECT_STORE && { OBJECT_STORE_URL: await createBucket(t, TEST_OBJECT_STORE) }),
  }
}

/** The pooler keeps its sessions. A database that has any can neither be copied nor used again. */
export async function closePooled(database: string): Promise<void> {
  if (!process.env.TEST_POOLER_URL) return
  const client = new pg.Client({ connectionString: throughPooler('/pgbouncer') })
  await client.connect()
  try {
    await client.query(`KILL ${database}`)
    await client.query(`RESUME ${database}`)
  } catch (error) {
    // Nobody has used it.
    if (!(error as Error).message.includes('no such database')) throw error
  } finally {
    await client.end()
  }
}

function throughPooler(databaseUrl: string): string {
  const url = new URL(process.env.TEST_POOLER_URL!)
  url.pathname = databaseUrl.slice(databaseUrl.lastIndexOf('/'))
  return url.href
}

// The clients of Redis and S3 are large, so they are loaded only if they are used.

/** The first database counts the others. */
async function nextRedisDatabase(server: string): Promise<string> {
  const { createClient } = await import('redis')
  const client = await createClient({ url: server }).connect()
  const number = await client.incr('worlds')
  client.destroy()
  return `${server}/${number}`
}

let buckets = 0

async function createBucket(t: Scope, server: string): Promise<string> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const { endpoint, region, accessKeyId, secretAccessKey } = objectStoreUrl.parse(server)
  const client = new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true })
  t.after(() => client.destroy())
  const url = new URL(server)
  buckets += 1
  url.pathname = `/world-${process.pid}-${buckets}`
  await client.send(new CreateBucketCommand({ Bucket: url.pathname.slice(1) }))
  return url.href
}

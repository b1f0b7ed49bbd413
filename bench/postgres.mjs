import { createRequire } from 'node:module'

// pg is a dependency of the server's workspace, so it is resolved from there.
const { Client, Pool } = createRequire(new URL('../server/package.json', import.meta.url))('pg')

/** Opens a connection for `use` and closes it afterwards. */
export async function withClient(databaseUrl, use) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Opens up to `max` connections with these settings for `use` and closes them afterwards. */
export async function withPool(databaseUrl, { max, settings }, use) {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const pool = new Pool({ connectionString: databaseUrl, max, options: options.join(' ') })
  try {
    return await use(pool)
  } finally {
    await pool.end()
  }
}

/** The URL of another database of the same server. */
export function databaseNamed(databaseUrl, name) {
  const url = new URL(databaseUrl.replace('@/', '@socket/'))
  url.pathname = `/${name}`
  return url.href.replace('@socket/', '@/')
}

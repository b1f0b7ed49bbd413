import { createRequire } from 'node:module'

// pg is a dependency of the server's workspace, so it is resolved from there.
const { Client } = createRequire(new URL('../server/package.json', import.meta.url))('pg')

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

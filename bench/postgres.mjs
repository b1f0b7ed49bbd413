import { createRequire } from 'node:module'

// As the server finds it: pg is a dependency of that workspace.
const { Client } = createRequire(new URL('../server/package.json', import.meta.url))('pg')

/** Lends a connection. */
export async function withClient(databaseUrl, use) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

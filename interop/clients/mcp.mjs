import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { notThere } from './not-there.mjs'

export async function run({ origin }) {
  const url = new URL('/mcp', origin)
  if ((await fetch(url, { method: 'POST', body: '{}' })).status === 404) notThere('this version has no /mcp')
  const client = new Client({ name: 'interop', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(url))
  const { tools } = await client.listTools()
  const result = await client.callTool({ name: 'search_posts', arguments: { query: 'free' } })
  if (result.isError) throw new Error(JSON.stringify(result.content).slice(0, 150))
  await client.close()
  return `${tools.length} tools`
}

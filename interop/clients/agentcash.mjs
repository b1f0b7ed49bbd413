import * as discovery from '@agentcash/discovery'

export async function run({ origin, nanoPost }) {
  const found = await discovery.discoverOriginSchema({ target: origin })
  if (!found.found) throw new Error(`nothing was discovered: ${JSON.stringify(found).slice(0, 150)}`)
  const checked = await discovery.checkEndpointSchema({ url: `${origin}/api/posts/${nanoPost}/access` })
  if (!checked.found) throw new Error(`the endpoint was not found: ${JSON.stringify(checked).slice(0, 150)}`)
  return `${found.endpoints?.length ?? 0} endpoints by ${found.source}`
}

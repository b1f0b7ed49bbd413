import Sitemapper from 'sitemapper'

export async function run({ origin }) {
  const { sites, errors } = await new Sitemapper({ url: `${origin}/sitemap.xml`, timeout: 20_000 }).fetch()
  if (errors?.length > 0) throw new Error(JSON.stringify(errors[0]))
  const isListed = (part) => sites.some((url) => url.includes(part))
  if (!isListed('/@ada_marlow') || !isListed('/docs/quick-start')) throw new Error(`${sites.length} addresses`)
  return `${sites.length} addresses`
}

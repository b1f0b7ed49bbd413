import { extract, setProviderList } from '@extractus/oembed-extractor'

export async function run({ origin, nanoPost }) {
  setProviderList([
    {
      provider_name: 'Pennypost',
      provider_url: origin,
      endpoints: [{ schemes: [`${origin}/posts/*`], url: `${origin}/oembed` }],
    },
  ])
  const embed = await extract(`${origin}/posts/${nanoPost}`)
  if (embed.type !== 'rich' || !embed.html.includes('<iframe')) throw new Error(JSON.stringify(embed).slice(0, 150))
}

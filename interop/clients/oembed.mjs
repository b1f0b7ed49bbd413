import { extract, setProviderList } from '@extractus/oembed-extractor'

// It asks every provider over https, whatever the list says.
export async function run({ secureOrigin, nanoPost }) {
  setProviderList([
    {
      provider_name: 'Pennypost',
      provider_url: secureOrigin,
      endpoints: [{ schemes: [`${secureOrigin}/posts/*`], url: `${secureOrigin}/oembed` }],
    },
  ])
  const embed = await extract(`${secureOrigin}/posts/${nanoPost}`)
  if (embed.type !== 'rich' || !embed.html.includes('<iframe')) throw new Error(JSON.stringify(embed).slice(0, 150))
}

import { extract, setProviderList } from '@extractus/oembed-extractor'

export async function run({ origin, nanoPost }) {
  setProviderList([
    {
      provider_name: 'Pennypost',
      provider_url: origin,
      endpoints: [{ schemes: [`${origin}/posts/*`], url: `${origin}/oembed` }],
    },
  ])
  const embed = await extract(`${origin}/posts/${nanoPost}`).catch((error) => {
    // It asks every provider over https, whatever the list says. The service of this trial has http.
    throw new Error(`${error.message}; it asks over https only, and the service of this trial has http`)
  })
  if (embed.type !== 'rich' || !embed.html.includes('<iframe')) throw new Error(JSON.stringify(embed).slice(0, 150))
}

// Every stock client, and what is tried with it. The functions are in clients/; each throws if its client fails.
const buying = 'buys a post with USDC through x402, without an account'
const nano = 'signs a block that buys a post'

export const clients = [
  usdc('@x402/fetch', 'x402-fetch'),
  usdc('@x402/axios', 'x402-axios'),
  usdc('@x402/core', 'x402-core', 'reads the quote, signs, presents the payment, reads the receipt'),
  usdc('@faremeter/fetch', 'faremeter'),
  usdc('@dexterai/x402', 'dexter'),
  client('@agentcash/discovery', 'agentcash', 'discovers the API and checks what is sold'),
  client('nanocurrency', 'nanocurrency', nano),
  client('nanocurrency-web', 'nanocurrency-web', nano),
  client('libnemo', 'libnemo', nano),
  client(
    '@redocly/cli',
    'redocly',
    'lints both OpenAPI documents with the ruleset `spec`, not the stricter `recommended`',
  ),
  client('@apidevtools/swagger-parser', 'swagger-parser', 'validates both OpenAPI documents'),
  client('openapi-typescript + openapi-fetch', 'openapi-fetch', 'types are generated, a program compiles and calls'),
  client('@hey-api/openapi-ts', 'hey-api', 'a client is generated and compiles'),
  client('orval', 'orval', 'a client is generated and compiles'),
  client('openapi-to-postmanv2', 'postman', 'converts OpenAPI to a collection with every operation'),
  client('@usebruno/converters', 'bruno', 'converts OpenAPI to a collection with every operation'),
  client('feedsmith', 'feedsmith', 'reads RSS, Atom and JSON Feed'),
  client('rss-parser', 'rss-parser', 'reads RSS and Atom'),
  client('feedparser', 'feedparser', 'reads RSS and Atom'),
  client('sitemapper', 'sitemapper', 'follows the sitemap index to posts and guides'),
  client('robots-parser', 'robots-parser', 'reads robots.txt'),
  client('@mozilla/readability', 'readability', 'finds title, author and text of a post'),
  client('microformats-parser', 'microformats', 'finds the h-entry of a post'),
  client('@extractus/oembed-extractor', 'oembed', 'embeds a post by its URL'),
  client('standardwebhooks', 'standardwebhooks', 'verifies a webhook that the service sent'),
  client('oauth4webapi', 'oauth', 'discovers, registers, connects, calls the API, refreshes and revokes'),
  client('@modelcontextprotocol/sdk', 'mcp', 'connects to /mcp, lists tools and searches'),
].map((entry) => ({ ...entry, load: () => import(`./clients/${entry.file}.mjs`) }))

function client(name, file, tried) {
  return { name, file, tried }
}

/** A client that pays USDC on the development chain, which may be slow. */
function usdc(name, file, tried = buying) {
  return { name, file, tried, needsUsdc: true, seconds: 180 }
}

import type { getApiCatalog as declared } from '@pennypost/contract/machine-files'
import type { Handler } from './services.ts'

/** The places that describe the API, for tools that know only the domain. */
export const getApiCatalog: Handler<typeof declared> = async (_services, { origin }) => {
  const catalog = `${origin}/.well-known/api-catalog`
  const link = (path: string, type: string, title?: string) => ({ href: origin + path, type, ...(title && { title }) })
  return {
    status: 200,
    headers: { link: `<${catalog}>; rel="api-catalog"` },
    body: JSON.stringify({
      linkset: [
        {
          anchor: `${origin}/api/`,
          'service-desc': [
            link('/openapi.json', 'application/json', 'OpenAPI 3.1'),
            link('/openapi-admin.json', 'application/json', 'OpenAPI 3.1, for administrators'),
          ],
          'service-doc': [
            link('/docs', 'text/html', 'API reference'),
            link('/docs/quick-start', 'text/html', 'Quick start'),
            link('/SKILL.md', 'text/markdown', 'For agents: search, buy and publish'),
            link('/llms.txt', 'text/markdown', 'For language models'),
          ],
          'service-meta': [
            link('/.well-known/x402', 'application/json', 'x402 manifest'),
            link('/.well-known/agent-card.json', 'application/json', 'Agent card'),
            link('/.well-known/oauth-protected-resource', 'application/json', 'Where tokens for the API come from'),
            link('/.well-known/oauth-authorization-server', 'application/json', 'OAuth 2.1'),
          ],
          status: [link('/healthz', 'application/json')],
        },
        {
          anchor: `${origin}/mcp`,
          'service-doc': [link('/docs/mcp', 'text/html', 'Model Context Protocol')],
          'service-meta': [
            link(
              '/.well-known/oauth-protected-resource/mcp',
              'application/json',
              'Where tokens for the MCP server come from',
            ),
          ],
        },
      ],
    }),
  }
}

import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'

// The files that browsers, agents and directories look for at known paths.

const forMachines = {
  method: 'GET',
  tag: 'For machines',
  credential: 'none',
  errors: 'problem',
  cache: { seconds: 3600 },
} as const

export const getOpenSearch = endpoint({
  ...forMachines,
  path: '/opensearch.xml',
  summary: 'Describe the search of this site to browsers (OpenSearch 1.1)',
  replies: { 200: raw('application/opensearchdescription+xml; charset=utf-8', 'An OpenSearch description.') },
})

export const getLicense = endpoint({
  ...forMachines,
  path: '/license.xml',
  summary: 'Say what crawlers may use posts for (RSL 1.0)',
  replies: { 200: raw('application/rsl+xml; charset=utf-8', 'An RSL document.') },
})

export const getApiCatalog = endpoint({
  ...forMachines,
  path: '/.well-known/api-catalog',
  summary: 'List the APIs of this site (RFC 9727)',
  replies: {
    200: raw('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"', 'A linkset (RFC 9264).'),
  },
  replyHeaders: { Link: 'Always names this document as `api-catalog`.' },
})

export const getAgentCard = endpoint({
  ...forMachines,
  path: '/.well-known/agent-card.json',
  summary: 'Describe this service to agents (A2A agent card)',
  replies: { 200: raw('application/json; charset=utf-8', 'An agent card.') },
})

export const getSkill = endpoint({
  ...forMachines,
  path: '/SKILL.md',
  summary: 'Teach an agent to search, buy and publish here',
  replies: { 200: raw('text/markdown; charset=utf-8', 'Instructions with commands.') },
})

import { accessOperations } from './access-operations.ts'
import { accountOperations, accountPages } from './account-operations.ts'
import { adminOnly } from './admin-only.ts'
import { adminOperations } from './admin-operations.ts'
import { developmentOperations } from './development-operations.ts'
import { discoveryOperations } from './discovery-operations.ts'
import { discussionOperations } from './discussion-operations.ts'
import type { Contract, Endpoint } from './endpoint.ts'
import { invalidBodies } from './errors.ts'
import { importOperations } from './import-operations.ts'
import type { Limit } from './limit.ts'
import { mcpOperations } from './mcp.ts'
import { notificationOperations, notificationPages } from './notification-operations.ts'
import { messageLimits } from './notification-preferences.ts'
import { oauthOperations, oauthPages } from './oauth-operations.ts'
import { paymentOperations } from './payment-operations.ts'
import { personalDataOperations } from './personal-data-operations.ts'
import { platformOperations, platformPages } from './platform-operations.ts'
import { postOperations } from './post-operations.ts'
import { profileOperations } from './profile-operations.ts'
import { siteOperations } from './site-operations.ts'
import { statisticsOperations } from './statistics-operations.ts'
import { confirmationLimit } from './subscribers.ts'
import { subscriptionOperations, subscriptionPages } from './subscription-operations.ts'
import { uploadOperations } from './upload-operations.ts'
import { webhookOperations } from './webhook-operations.ts'

/**
 * The API. An operation's name is its `operationId`, the name of its handler and the method of the client.
 * The OpenAPI documents and the reference at `/docs` are made from this.
 */
export const contract = {
  ...accountOperations,
  ...oauthOperations,
  ...profileOperations,
  ...postOperations,
  ...importOperations,
  ...statisticsOperations,
  ...uploadOperations,
  ...discoveryOperations,
  ...accessOperations,
  ...paymentOperations,
  ...discussionOperations,
  ...notificationOperations,
  ...webhookOperations,
  ...subscriptionOperations,
  ...personalDataOperations,
  ...adminOperations,
  ...platformOperations,
}

const operationsWhere = (isIncluded: (endpoint: Endpoint) => boolean): Contract =>
  Object.fromEntries(Object.entries<Endpoint>(contract).filter(([, endpoint]) => isIncluded(endpoint)))

/** Operations for administrators have their own OpenAPI document: few clients need it. */
export const adminContract = operationsWhere(({ tag }) => tag === adminOnly.tag)
export const publicContract = operationsWhere(({ tag }) => tag !== adminOnly.tag)

/** The endpoints that browsers, feed readers, crawlers and MCP clients load. API clients do not need them: no OpenAPI document has them. */
export const siteContract = {
  ...siteOperations,
  ...accountPages,
  ...oauthPages,
  ...notificationPages,
  ...subscriptionPages,
  ...platformPages,
  ...mcpOperations,
}

/** Operations that exist in development only. */
export const developmentContract = { ...developmentOperations }

/** Every rate limit by its name. Operators can set other figures. */
export const limitsByName: ReadonlyMap<string, Limit> = new Map(
  Object.values<Endpoint>({ ...contract, ...siteContract })
    .flatMap(({ limits = [], handlerLimits = [] }) => [...limits, ...handlerLimits])
    .concat(invalidBodies, Object.values(messageLimits), confirmationLimit)
    .map((limit) => [limit.name, limit]),
)

import { getDocs, getHealth, getMetrics, getOpenApi, getProblem, getReadiness } from './operations.ts'

/** Health, readiness, metrics and the OpenAPI document. */
export const platformOperations = {
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
}

/** The API reference, and a page for every refusal code. */
export const platformPages = {
  getDocs,
  getProblem,
}

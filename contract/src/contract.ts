import { moveClock, readCapturedMail, readClock } from './dev.ts'
import { getDocs, getHealth, getMetrics, getOpenApi, getProblem, getReadiness } from './operations.ts'
import { getHandleAvailability } from './profiles.ts'

/** Every operation of the service. A name here is the operation id, the handler's name and the client's method. */
export const contract = {
  getHandleAvailability,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
  getDocs,
  getProblem,
}

/** Operations that exist in development only. */
export const developmentContract = { readCapturedMail, readClock, moveClock }

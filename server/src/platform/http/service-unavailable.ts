/** Thrown when a part of the service that runs elsewhere does not respond. If a handler does not catch it, the reply is 503. */
export class ServiceUnavailable extends Error {
  override name = 'ServiceUnavailable'
}

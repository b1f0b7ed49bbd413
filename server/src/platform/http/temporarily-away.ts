/** A part of the service that is elsewhere does not respond. If a handler does not catch it, the reply is 503. */
export class TemporarilyAway extends Error {
  override name = 'TemporarilyAway'
}

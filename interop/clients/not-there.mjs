/** Ends the trial of a client whose part of the service does not exist in this version. */
export function notThere(message) {
  throw Object.assign(new Error(message), { notThere: true })
}

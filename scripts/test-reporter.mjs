import { inspect } from 'node:util'

/** The test that closes what a file's tests shared. Its outcome says that the file is done. */
export const endOfFile = 'what the tests of this file shared is clean'

/** Sends the outcome of each test to the parent process; nothing is printed here. */
export default async function* (events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    // A suite fails because of the tests in it, which have been named.
    if (data.details?.type === 'suite' || !process.connected) continue
    const { error } = data.details
    const isSkipped = data.skip !== undefined || data.todo !== undefined
    const outcome = isSkipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed'
    const isEnd = data.name === endOfFile
    if (!isEnd || outcome === 'failed')
      process.send({ outcome, name: data.name, details: error && inspect(error.cause ?? error, { depth: 6 }) })
    if (isEnd) process.send({ done: true })
  }
  yield ''
}

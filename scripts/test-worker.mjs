// Runs the test files its parent names, one after the other, in this process. Node's runner runs tests in the order they
// are declared, so a test declared after a file was loaded ends that file: it closes what the next file cannot use.
import asyncHooks from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { endOfFile } from './test-reporter.mjs'

// Node's runner follows every promise and timer, to know which test an uncaught error comes from. That takes a sixth of the
// processor's time. Here an uncaught error makes the file fail, whichever test it comes from.
const { createHook } = asyncHooks
asyncHooks.createHook = () => ({ enable() {}, disable() {} })
const { test } = await import('node:test')
asyncHooks.createHook = createHook
const { closeShared, closeUsed } = await import('../server/dist/test/shared.js')

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) =>
    process.send({ outcome: 'failed', name: `(${event})`, details: error?.stack ?? String(error) }),
  )

let loaded = 0

process.on('message', async (message) => {
  if (message.end) {
    await closeShared()
    return process.disconnect()
  }
  try {
    // With a number: a module that was loaded before would not declare its tests again.
    loaded += 1
    await import(`${pathToFileURL(message.run).href}?${loaded}`)
  } catch (error) {
    test('the file can be loaded', () => {
      throw error
    })
  }
  test(endOfFile, { timeout: 60_000 }, closeUsed)
})
process.send({ ready: true })

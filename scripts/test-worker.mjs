// Runs the test files its parent names, one after the other, in this process. Node's runner runs tests in the order they
// are declared, so a test declared after a file was loaded ends that file: it closes what the next file cannot use.
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeShared, closeUsed } from '../server/dist/test/shared.js'
import { endOfFile } from './test-reporter.mjs'

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

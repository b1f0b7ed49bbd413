// Runs the test files its parent names, one after the other, in this process. Node's runner runs tests in the order they
// are declared, so a test declared after a file was loaded ends that file: it closes what the file's tests shared.
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeShared } from '../server/dist/test/shared.js'
import { endOfFile } from './test-reporter.mjs'

process.on('message', async (message) => {
  if (message.end) return process.disconnect()
  try {
    await import(pathToFileURL(message.run).href)
  } catch (error) {
    test('the file can be loaded', () => {
      throw error
    })
  }
  test(endOfFile, { timeout: 60_000 }, closeShared)
})
process.send({ ready: true })

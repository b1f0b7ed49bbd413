import { equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startS3Server } from '../platform/files/s3-server.fixture.ts'

// The room's own tests of bytes once more, with a real S3 server in place of the folder: all of them in `npm run nightly`.
const files = process.env.THOROUGH
  ? ['images', 'limits', 'attachments', 'attachment-transport', 'holds']
  : ['attachment-transport']

test('uploads work on S3 as they do on files', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pennypost-s3-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = await startS3Server(t, directory)
  const { host } = new URL(endpoint)
  const store = `s3://${accessKeyId}:${secretAccessKey}@${host}/${bucket}?region=${region}&tls=0`
  const paths = files.map((name) => fileURLToPath(new URL(`./${name}.test.js`, import.meta.url)))
  // Without the runner's own mark, or the tests would report to a runner that is not listening.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...paths], {
    env: { ...environment, TEST_OBJECT_STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let report = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    report += text
  })
  const [code] = await once(child, 'close')
  equal(code, 0, report.slice(-10_000))
})

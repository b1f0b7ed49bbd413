import type { TestContext } from 'node:test'
import S3rver from 's3rver'
import type { ObjectStoreSettings } from './settings.ts'

/** A real S3 server with one bucket, stopped after the test. */
export async function startS3Server(t: Pick<TestContext, 'after'>, directory: string): Promise<ObjectStoreSettings> {
  const bucket = 'pennypost'
  const configureBuckets = [{ name: bucket, configs: [] }]
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets })
  const { port } = await server.run()
  t.after(() => server.close())
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  return { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket, ...keys }
}

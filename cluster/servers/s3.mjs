// node s3.mjs PORT FOLDER: an S3 server with one bucket.
import { createRequire } from 'node:module'

const S3rver = createRequire(new URL('../../server/package.json', import.meta.url))('s3rver')
const [, , port, directory] = process.argv
const configureBuckets = [{ name: 'pennypost', configs: [] }]
await new S3rver({ address: '127.0.0.1', port: Number(port), silent: true, directory, configureBuckets }).run()

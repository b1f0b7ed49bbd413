// npm run nightly             what takes too long for npm test: twenty thousand generated histories of payments, a death
//                             at every step of an upload, and all tests of uploads on S3
// MODEL_RUNS=… npm run nightly
process.env.MODEL_RUNS ??= '20000'
process.env.THOROUGH = '1'
process.argv.push('payments/model', 'uploads/kills', 'uploads/on-s3')
await import('./test.mjs')

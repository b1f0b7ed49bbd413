// npm run nightly             what takes too long for npm test: twenty thousand generated histories of payments, deaths at
//                             every step of an upload and at any moment, and all tests of uploads on S3
// MODEL_RUNS=… npm run nightly
process.env.MODEL_RUNS ??= '20000'
process.env.THOROUGH = '1'
process.argv.push('--slow', 'payments/model', 'uploads/kills', 'uploads/on-s3', 'service.')
await import('./test.mjs')

import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { allSettings, readConfig, readSettingFiles, settingGroups } from './config.ts'

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://pennypost.example',
  SMTP_URL: 'smtp://mail:25',
  MAIL_FROM: 'post@pennypost.example',
  NANO_RPC_URL: 'http://node:7076',
}

const settlerKey = `0x${'11'.repeat(32)}`
const signerSecret = 'x'.repeat(32)
const asking = { SIGNER_URL: 'http://signer:3100', SIGNER_SECRET: signerSecret }
const signing = {
  ROLE: 'signer',
  DATABASE_URL: 'postgresql://host/db',
  NANO_RPC_URL: 'http://node:7076',
  SIGNER_SECRET: signerSecret,
}
const facilitator = { FACILITATOR_URL: 'https://x402.example' }
// An Ed25519 key: a seed of zeros, and its public key.
const cdpSecret = Buffer.from(
  `${'00'.repeat(32)}3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29`,
  'hex',
).toString('base64')

test('without settings, the service runs in development mode', () => {
  const config = readConfig({})
  equal(config.environment, 'development')
  equal(config.port, 3000)
  equal(config.host, '127.0.0.1')
  equal(config.trustProxy.join(), 'loopback')
})

test('an error is one line that names the setting', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ PORT: 'http' }, /^PORT: must be a port$/],
    [{ PORT: '65536' }, /^PORT: /],
    [{ NODE_ENV: 'prod' }, /^NODE_ENV: /],
    [{ BASE_URL: 'pennypost.example' }, /^BASE_URL: must be a URL without a path, like https:\/\/example\.com$/],
    [{ BASE_URL: 'https://pennypost.example/blog' }, /^BASE_URL: must be a URL without a path, like/],
    [{ BASE_URL: 'http://a.test', ALT_BASE_URL: 'http://a.test' }, /^ALT_BASE_URL: /],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: /],
    [
      { DATABASE_URL: 'postgresql://u:pass#word@host/db' },
      /^DATABASE_URL: must be a URL like [^;]+; in the password, write/,
    ],
    [{ DATABASE_URL: 'postgresql://u:pass/word@host:5432/db' }, /^DATABASE_URL: must be a URL like/],
    [{ DATABASE_URL: 'postgresql://u:password@' }, /^DATABASE_URL: must be a URL like/],
    [{ DATABASE_URL: 'postgresql://u:password@one:5432,two:99999/db' }, /^DATABASE_URL: must be a URL like/],
    [{ REDIS_URL: 'redis://host/cache' }, /^REDIS_URL: must be a URL like .* for another database$/],
    [{ REDIS_URL: 'redis://:100%@host' }, /^REDIS_URL: must be a URL like [^;]+; in the password, write/],
    [
      { SMTP_URL: 'smtp://user:100%@mail', MAIL_FROM: 'a@b.test' },
      /^SMTP_URL: must be a URL like [^;]+; in the password/,
    ],
    [{ RATES_STATIC: 'XNO=0,USDC=1' }, /^RATES_STATIC: must look like/],
    [{ ...production, RATES_STATIC: 'XNO=1,USDC=1' }, /^RATES_STATIC: is for development only$/],
    [{ PUSH_ALLOW_PRIVATE: 'yes' }, /^PUSH_ALLOW_PRIVATE: /],
    [{ ...production, PUSH_ALLOW_PRIVATE: '1' }, /^PUSH_ALLOW_PRIVATE: is for development only$/],
    [{ ...production, FAULT_POINT: 'part-stored' }, /^FAULT_POINT: is for development only$/],
    [{ TRUST_PROXY: 'banana' }, /^TRUST_PROXY: /],
    [{ TRUST_PROXY: '10.0.0' }, /^TRUST_PROXY: must list addresses/],
    [{ TRUST_PROXY: '10.0.0/8' }, /^TRUST_PROXY: must list addresses/],
    [{ HOST: 'http://localhost' }, /^HOST: must be an address or the name of this machine, like 127\.0\.0\.1$/],
    [{ HOST: 'localhost:3000' }, /^HOST: /],
    [{ HOST: ' ' }, /^HOST: /],
    [{ NANO_WATCH_DAYS: '0' }, /^NANO_WATCH_DAYS: must be a number of days/],
    [{ LIMITS: 'searches' }, /^LIMITS: must look like/],
    [{ LIMITS: 'searches=0/60' }, /^LIMITS: must look like/],
    [{ LIMITS: 'searches=1/60,logins=5/60, searches=600/60' }, /^LIMITS: names searches twice/],
    [{ JOBS_AT_ONCE: 'webhooks=2,webhooks=3' }, /^JOBS_AT_ONCE: names webhooks twice/],
    [{ LIMITS: 'searchs=10/60' }, /^LIMITS: there is no limit searchs/],
    [{ CONNECTIONS_PER_ADDRESS: '0' }, /^CONNECTIONS_PER_ADDRESS: /],
    [{ ROLE: 'worker' }, /^ROLE: worker needs a DATABASE_URL/],
    [{ SMTP_URL: 'smtp://mail' }, /^MAIL_FROM: /],
    [{ SMTP_URL: 'smtp:', MAIL_FROM: 'a@b.test' }, /^SMTP_URL: must be a URL like/],
    [{ REDIS_URL: 'redis://' }, /^REDIS_URL: must be a URL like/],
    ...[
      'post',
      'Pennypost <',
      '<>',
      'a@b.test, c@d.test',
      'Ada, Bob <a@b.test>',
      'a@b.test\r\nBcc: c@d.test',
      '"a@b.test"',
    ].map((MAIL_FROM): [Record<string, string>, RegExp] => [
      { MAIL_FROM },
      /^MAIL_FROM: must be an email address, or a name/,
    ]),
    [{ DKIM_SELECTOR: 'mail' }, /^DKIM_SELECTOR, DKIM_KEY_FILE: set both or neither$/],
    [{ DKIM_KEY_FILE: 'key.pem' }, /^DKIM_SELECTOR, DKIM_KEY_FILE: set both or neither$/],
    [{ DKIM_DOMAIN: 'pennypost.example' }, /^DKIM_DOMAIN: needs DKIM_SELECTOR$/],
    [{ MAIL_REPLY_TO: 'help' }, /^MAIL_REPLY_TO: must be an email address$/],
    [{ BOUNCE_ADDRESS: 'returned@pennypost.example' }, /^BOUNCE_ADDRESS: must be an email address with at most 7/],
    [{ POST_EMAILS_PER_SECOND: '0' }, /^POST_EMAILS_PER_SECOND: must be a number of emails$/],
    [{ ...production, SMTP_URL: '' }, /^SMTP_URL: is required in production$/],
    [{ ...production, BASE_URL: '' }, /^BASE_URL: is required in production$/],
    [{ ...production, NANO_RPC_URL: '' }, /^NANO_RPC_URL: is required in production$/],
    [{ NANO_RPC_URL: 'node:7076' }, /^NANO_RPC_URL: /],
    [{ NANO_RPC_URL: 'http://node:7076,' }, /^NANO_RPC_URL: /],
    [{ NANO_WS_URL: 'ws://node:7078' }, /^NANO_WS_URL: needs NANO_RPC_URL/],
    [{ NANO_RPC_URL: 'http://node:7076', NANO_WS_URL: 'http://node:7078' }, /^NANO_WS_URL: /],
    [{ NANO_NETWORK: 'live' }, /^NANO_NETWORK: live needs a NANO_RPC_URL$/],
    [{ NANO_WORK_URL: 'gpu' }, /^NANO_WORK_URL: /],
    [{ BASE_RPC_URL: 'node:8545', BASE_SETTLER_KEY: settlerKey }, /^BASE_RPC_URL: /],
    [{ BASE_RPC_URL: 'http://node:8545' }, /^BASE_RPC_URL: needs BASE_SETTLER_KEY or FACILITATOR_URL$/],
    [{ BASE_SETTLER_KEY: settlerKey }, /^BASE_SETTLER_KEY: needs BASE_RPC_URL$/],
    [{ BASE_RPC_URL: 'http://node:8545', BASE_SETTLER_KEY: '0x12' }, /^BASE_SETTLER_KEY: must be a private key/],
    [
      { BASE_RPC_URL: 'http://node:8545', BASE_SETTLER_KEY: settlerKey, FACILITATOR_URL: 'https://x402.example' },
      /^BASE_SETTLER_KEY, FACILITATOR_URL: choose one$/,
    ],
    [{ FACILITATOR_URL: 'x402.example' }, /^FACILITATOR_URL: /],
    [{ FACILITATOR_HEADER: 'X-API-Key: a' }, /^FACILITATOR_HEADER: needs FACILITATOR_URL$/],
    [{ ...facilitator, FACILITATOR_HEADER: 'Bearer abc' }, /^FACILITATOR_HEADER: must be a header, like/],
    [{ ...facilitator, FACILITATOR_HEADER: 'X-Key: a\r\nX-Other: b' }, /^FACILITATOR_HEADER: must be a header, like/],
    [{ ...facilitator, CDP_API_KEY_ID: 'a' }, /^CDP_API_KEY_ID: needs CDP_API_KEY_SECRET$/],
    [{ ...facilitator, CDP_API_KEY_SECRET: cdpSecret }, /^CDP_API_KEY_SECRET: needs CDP_API_KEY_ID$/],
    [{ CDP_API_KEY_ID: 'a', CDP_API_KEY_SECRET: cdpSecret }, /^CDP_API_KEY_ID: needs FACILITATOR_URL$/],
    [
      { ...facilitator, CDP_API_KEY_ID: 'a', CDP_API_KEY_SECRET: `B${cdpSecret.slice(1)}` },
      /^CDP_API_KEY_SECRET: must be/,
    ],
    [{ ...facilitator, CDP_API_KEY_ID: 'a', CDP_API_KEY_SECRET: 'abc' }, /^CDP_API_KEY_SECRET: must be the secret of/],
    [
      { ...facilitator, CDP_API_KEY_ID: 'a', CDP_API_KEY_SECRET: '-----BEGIN EC PRIVATE KEY-----' },
      /^CDP_API_KEY_SECRET: must be the secret of/,
    ],
    [
      { ...facilitator, FACILITATOR_HEADER: 'X-Key: a', CDP_API_KEY_ID: 'a', CDP_API_KEY_SECRET: cdpSecret },
      /^FACILITATOR_HEADER, CDP_API_KEY_ID: choose one$/,
    ],
    [{ CRAWLERS_MAY: 'search,train' }, /^CRAWLERS_MAY: /],
    [{ WEBSUB_HUB: 'hub.example' }, /^WEBSUB_HUB: /],
    [{ ...production, WEBSUB_HUB: 'http://hub.example' }, /^WEBSUB_HUB: must be an https: URL, like https:/],
    [{ WALLET_FACTORIES: '0x12' }, /^WALLET_FACTORIES: must be a Base address$/],
    [{ USDC_ADDRESS: 'USDC' }, /^USDC_ADDRESS: must be a Base address$/],
    [{ USDC_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914' }, /^USDC_ADDRESS: the checksum is wrong/],
    [{ NANO_SEED: 'a5' }, /^NANO_SEED: must be 64 hexadecimal digits$/],
    [{ NANO_REPRESENTATIVE: 'nano_1' }, /^NANO_REPRESENTATIVE: must be a Nano address$/],
    [{ HOUSE_NANO_ADDRESS: 'me' }, /^HOUSE_NANO_ADDRESS: must be a Nano address$/],
    [{ ACCEPT_LOST_OBJECTS: 'all' }, /^ACCEPT_LOST_OBJECTS: must be a number/],
    [{ CLAMAV_URL: 'http://clamav:3310' }, /^CLAMAV_URL: must look like tcp:/],
    [{ CLAMAV_URL: 'tcp://clamav:99999' }, /^CLAMAV_URL: must look like tcp:/],
    [{ CLAMAV_URL: 'tcp://clamav' }, /^CLAMAV_URL: must look like tcp:/],
    [{ SCANNER_URL: 'ftp://scanner' }, /^SCANNER_URL: /],
    [{ NANO_SHARED_WALLETS: 'nano_1' }, /^NANO_SHARED_WALLETS: must be a Nano address/],
    [{ SIGNER_URL: 'signer:3100', SIGNER_SECRET: signerSecret }, /^SIGNER_URL: /],
    [{ SIGNER_URL: 'http://signer:3100' }, /^SIGNER_SECRET: is required with SIGNER_URL$/],
    [{ ...asking, SIGNER_SECRET: 'short' }, /^SIGNER_SECRET: must have 32 to 200 visible/],
    [{ ...asking, NANO_SEED: 'a5'.repeat(32) }, /^NANO_SEED: belongs to the signer alone; remove it here/],
    [
      { ...asking, BASE_RPC_URL: 'http://node:8545', BASE_SETTLER_KEY: settlerKey },
      /^BASE_SETTLER_KEY: belongs to the signer alone; remove it here/,
    ],
    [{ ...asking, SIGNER_XNO_PER_HOUR: '5' }, /^SIGNER_XNO_PER_HOUR: belongs to the signer alone/],
    [{ SIGNER_XNO_PER_HOUR: '0' }, /^SIGNER_XNO_PER_HOUR: must be an amount of XNO, like 100$/],
    [{ SIGNER_USDC_PER_HOUR: '0.1234567' }, /^SIGNER_USDC_PER_HOUR: must be an amount of USDC, like 100$/],
    [{ SIGNER_DESTINATIONS: 'nano_1' }, /^SIGNER_DESTINATIONS: must list Nano addresses$/],
    [{ SIGNER_ADDRESS_DELAY: '-1' }, /^SIGNER_ADDRESS_DELAY: must be a number of hours$/],
    [{ ROLE: 'signer' }, /^ROLE: signer needs a DATABASE_URL/],
    [{ ...signing, SIGNER_SECRET: '' }, /^SIGNER_SECRET: is required with ROLE=signer$/],
    [{ ...signing, NANO_RPC_URL: '' }, /^NANO_RPC_URL: is required with ROLE=signer$/],
    [{ ...signing, SIGNER_URL: 'http://signer:3100' }, /^SIGNER_URL: is for the other roles/],
  ]
  for (const [settings, message] of wrong) throws(() => readConfig(settings), { message }, JSON.stringify(settings))
})

test('a sender may have a name, in quotes if need be', () => {
  for (const MAIL_FROM of [
    'a@b.test',
    '<a@b.test>',
    'Ünï <a@b.test>',
    '"Ada, Bob" <a@b.test>',
    'Ada (blog) <a+b@c-d.test>',
  ])
    equal(readConfig({ MAIL_FROM }).mailFrom, MAIL_FROM)
})

test('a URL of PostgreSQL is taken in each form that its driver takes', () => {
  for (const DATABASE_URL of [
    'postgresql://user@/name?host=/run/postgresql',
    'postgres:///name?host=/run/postgresql',
    'postgresql://user:p%2Fss@one:5432,two:5432/name?sslmode=require',
    'postgresql://user:p%ss word@[::1]:5432/name',
    'postgresql://%2Frun%2Fpostgresql/name',
  ])
    equal(readConfig({ DATABASE_URL }).databaseUrl, DATABASE_URL)
})

test('a setting that is a URL says which form it must have', () => {
  const urls = Object.keys(allSettings).filter((name) =>
    /_URL$|_HUB$|_ORIGINS$|_ENDPOINT$|^SECURITY_CONTACT$/.test(name),
  )
  ok(urls.length >= 22)
  for (const name of urls) throws(() => readConfig({ [name]: 'x' }), new RegExp(`^StartError: ${name}: must .*:/`))
})

test('the URL of a bucket says which part of it is wrong, and never the part itself', () => {
  const form = 'must look like s3://key:secret@host:port/bucket?region=…&tls=0'
  const parts = {
    'https://a:sesame@host/bucket': 'it does not begin with s3://',
    's3://host/bucket': 'the key is missing',
    's3://:sesame@host/bucket': 'the key is missing',
    's3://a@host/bucket': 'the secret is missing',
    's3://a:sesame@/bucket': 'the part between s3:// and the bucket cannot be read.',
    's3://a:ses/ame@host/bucket': 'the part between s3:// and the bucket cannot be read. In the secret, write / as %2F',
    's3://a:ses%ame@host/bucket': 'in the key and the secret, write % as %25',
    's3:///bucket': 'the key is missing',
    's3://a:sesame@host/': 'the bucket is missing',
    's3://a:sesame@host': 'the bucket is missing',
    's3://a:sesame@host/Bucket': 'the bucket must have 3 to 63 lower-case',
    's3://a:sesame@host/bucket?ssl=sesame': 'after the ?, only region and tls are known',
    's3://a:sesame@host/bucket?tls=sesame': 'tls must be 0 or 1, or left out',
    's3://a:sesame@host/bucket?region=': 'the region is empty',
  }
  for (const [url, problem] of Object.entries(parts)) {
    const isWrong = (name: string) => (error: Error) => {
      ok(error.message.startsWith(`${name}: ${form}: ${problem}`), error.message)
      return !/sesame|ses|ame@/.test(error.message)
    }
    throws(() => readConfig({ OBJECT_STORE_URL: url }), isWrong('OBJECT_STORE_URL'), url)
    if (url.startsWith('s3:')) throws(() => readConfig({ BACKUP_URL: url }), isWrong('BACKUP_URL'), url)
  }
  throws(() => readConfig({ BACKUP_URL: 'backups' }), {
    message: `BACKUP_URL: must be the absolute path of a folder, or look like ${form.slice('must look like '.length)}`,
  })
})

test('every setting belongs to a group that is checked', () => {
  deepEqual(settingGroups.flatMap(({ declared }) => Object.keys(declared)).sort(), Object.keys(allSettings).sort())
})

test('a signer needs the settings of neither readers nor mail, and those who ask it need no key', () => {
  equal(readConfig({ ...signing, NODE_ENV: 'production', NANO_SEED: 'a5'.repeat(32) }).role, 'signer')
  const { base, signer } = readConfig({ ...asking, BASE_RPC_URL: 'http://node:8545' })
  deepEqual([base?.settle, signer.url], ['signer', 'http://signer:3100'])
})

test('a setting may be in a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-settings-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'secret')
  await writeFile(path, `${'a5'.repeat(32)}\n`)
  equal(readSettingFiles({ NANO_SEED_FILE: path, PORT: '1' }).NANO_SEED, 'a5'.repeat(32))
  // That one is a path itself.
  equal(readSettingFiles({ DKIM_KEY_FILE: path }).DKIM_KEY, undefined)
  throws(
    () => readSettingFiles({ NANO_SEED_FILE: path, NANO_SEED: 'x' }),
    /^StartError: NANO_SEED, NANO_SEED_FILE: choose one$/,
  )
  throws(
    () => readSettingFiles({ NANO_SEED_FILE: join(folder, 'none') }),
    /^StartError: NANO_SEED_FILE: cannot read .*ENOENT$/,
  )
  await writeFile(path, '\n')
  throws(() => readSettingFiles({ NANO_SEED_FILE: path }), /^StartError: NANO_SEED_FILE: .* is empty$/)
})

test('Nano uses the embedded ledger without a node, and the live network with one by default', () => {
  deepEqual(readConfig({}).nano, {
    rpcUrls: [],
    wsUrl: undefined,
    network: 'dev',
    workUrls: [],
    seed: undefined,
    houseAddress: undefined,
    sharedWallets: [],
    watchDays: 30,
    representative: 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd',
  })
  const old = 'xrb_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
  equal(readConfig({ HOUSE_NANO_ADDRESS: old }).nano.houseAddress, old.replace('xrb_', 'nano_'))
  const node = { NANO_RPC_URL: 'http://one:7076, https://key@two/rpc', NANO_WS_URL: 'wss://one:7078' }
  deepEqual(readConfig(node).nano.rpcUrls, ['http://one:7076', 'https://key@two/rpc'])
  equal(readConfig(node).nano.network, 'live')
  equal(readConfig({ ...node, NANO_NETWORK: 'dev' }).nano.network, 'dev')
})

test('shared wallets are a list of normalized addresses', () => {
  const address = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
  deepEqual(readConfig({}).nano.sharedWallets, [])
  const { sharedWallets } = readConfig({ NANO_SHARED_WALLETS: `${address}, ${address.replace('nano_', 'xrb_')}` }).nano
  deepEqual(sharedWallets, [address, address])
})

test('USDC settles on the embedded chain, with our own key, through a facilitator, or in production not at all', () => {
  equal(readConfig({}).base?.settle, 'embedded')
  equal(readConfig(production).base, undefined)
  const own = { BASE_RPC_URL: 'https://one.example, https://two.example', BASE_SETTLER_KEY: settlerKey }
  for (const settings of [own, { ...production, ...own }]) {
    const { base } = readConfig(settings)
    equal(base?.settle, 'own')
    deepEqual(base?.settle === 'own' && base.rpcUrls, ['https://one.example', 'https://two.example'])
  }
  const remote = readConfig({ ...production, FACILITATOR_URL: 'https://x402.example/v2' }).base
  deepEqual(remote?.settle === 'remote' && [remote.facilitatorUrl, remote.rpcUrls], ['https://x402.example/v2', []])
  equal(readConfig({}).base?.walletFactories.length, 2)
  deepEqual(readConfig({ WALLET_FACTORIES: `0x${'ab'.repeat(20)}` }).base?.walletFactories, [`0x${'ab'.repeat(20)}`])
})

test('data for x402 catalogs is off by default', () => {
  deepEqual(
    [readConfig({}).bazaar, readConfig({ BAZAAR: '0' }).bazaar, readConfig({ BAZAAR: '1' }).bazaar],
    [false, false, true],
  )
})

test('production accepts a development setting that is turned off', () => {
  equal(readConfig({ ...production, PUSH_ALLOW_PRIVATE: '0' }).pushAllowsPrivate, false)
})

test('production trusts no proxy by default', () => {
  equal(readConfig(production).trustProxy.length, 0)
  equal(readConfig({ ...production, TRUST_PROXY: '10.0.0.1, uniquelocal' }).trustProxy.join(), '10.0.0.1,uniquelocal')
  equal(readConfig({ BASE_URL: 'https://a.example/' }).baseUrl, 'https://a.example')
})

test('an object store is one URL', () => {
  deepEqual(readConfig({ OBJECT_STORE_URL: 's3://key:sec%2Fret@minio:9000/pennypost?region=eu-1&tls=0' }).objectStore, {
    endpoint: 'http://minio:9000',
    region: 'eu-1',
    bucket: 'pennypost',
    accessKeyId: 'key',
    secretAccessKey: 'sec/ret',
  })
  equal(
    readConfig({ OBJECT_STORE_URL: 's3://key:secret@s3.example/pennypost' }).objectStore?.endpoint,
    'https://s3.example',
  )
  equal(readConfig({ OBJECT_STORE_URL: '' }).objectStore, undefined)
})

import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://pennypost.example',
  SMTP_URL: 'smtp://mail:25',
  MAIL_FROM: 'post@pennypost.example',
}

test('with no settings at all a development service is described', () => {
  const config = readConfig({})
  equal(config.environment, 'development')
  equal(config.port, 3000)
  equal(config.host, '127.0.0.1')
  equal(config.trustProxy.join(), 'loopback')
})

test('one line names the setting that is wrong', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ PORT: 'http' }, /^PORT: must be a port$/],
    [{ PORT: '65536' }, /^PORT: /],
    [{ NODE_ENV: 'prod' }, /^NODE_ENV: /],
    [{ BASE_URL: 'pennypost.example' }, /^BASE_URL: /],
    [{ BASE_URL: 'https://pennypost.example/blog' }, /^BASE_URL: must be an origin$/],
    [{ BASE_URL: 'http://a.test', ALT_BASE_URL: 'http://a.test' }, /^ALT_BASE_URL: /],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: /],
    [{ RATES_STATIC: 'XNO=0,USDC=1' }, /^RATES_STATIC: must look like/],
    [{ ...production, RATES_STATIC: 'XNO=1,USDC=1' }, /^RATES_STATIC: is for development only$/],
    [{ PUSH_ALLOW_PRIVATE: 'yes' }, /^PUSH_ALLOW_PRIVATE: /],
    [{ ...production, PUSH_ALLOW_PRIVATE: '1' }, /^PUSH_ALLOW_PRIVATE: is for development only$/],
    [{ TRUST_PROXY: 'banana' }, /^TRUST_PROXY: /],
    [{ ROLE: 'worker' }, /^ROLE: worker needs a DATABASE_URL/],
    [{ SMTP_URL: 'smtp://mail' }, /^MAIL_FROM: /],
    [{ ...production, SMTP_URL: '' }, /^SMTP_URL: production needs it$/],
    [{ ...production, BASE_URL: '' }, /^BASE_URL: production needs it$/],
    [{ OBJECT_STORE_URL: 's3://a:b@host/bucket' }, /^OBJECT_STORE_URL: is not supported yet/],
  ]
  for (const [settings, message] of wrong) throws(() => readConfig(settings), { message }, JSON.stringify(settings))
})

test('production trusts no proxy unless told', () => {
  equal(readConfig(production).trustProxy.length, 0)
  equal(readConfig({ ...production, TRUST_PROXY: '10.0.0.1, uniquelocal' }).trustProxy.join(), '10.0.0.1,uniquelocal')
  equal(readConfig({ BASE_URL: 'https://a.example/' }).baseUrl, 'https://a.example')
})

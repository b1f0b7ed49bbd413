import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { StartError } from './data-dir.ts'
import { jobsAtOnce } from './jobs/job-places.ts'
import { senderAddress } from './mail/mail.ts'
import { type ConfigOf, setting, settingGroup } from './setting.ts'
import { onOrOff, postgresUrl, redisUrl, urlLike, wholeNumber } from './setting-values.ts'

const connections = wholeNumber('must be a number from 2 to 1000', { min: 2, max: 1000 })

/** `post@example.com` or `Name <post@example.com>`. A name with punctuation that separates addresses has to be in quotes. */
const sender = z
  .string()
  .regex(
    /^(?:(?:"[^"\p{Cc}]*" *|[^"<>@,;:\p{Cc}]*)<[^\s<>@,;:"]+@[A-Za-z0-9.-]+>|[^\s<>@,;:"]+@[A-Za-z0-9.-]+)$/u,
    'must be an email address, or a name with one, like Pennypost <post@example.com>',
  )

/** The settings of the process, its database, email and push. */
export const platformSettings = settingGroup(
  {
    NODE_ENV: setting(z.enum(['development', 'production', 'test']), {
      default: 'development',
      help: '`production` turns off everything that is for development. `test` is the same as `development`',
    }),
    ROLE: setting(z.enum(['web', 'worker', 'signer', 'all']), {
      default: 'all',
      help: '`web` runs no jobs. `worker` runs jobs and serves only `/healthz`, `/readyz` and `/metrics`. `signer` signs for the others ([several processes](operations.md#several-processes)). All three need `DATABASE_URL`',
    }),
    DRAIN_SECONDS: setting(wholeNumber('must be a number from 0 to 300', { min: 0, max: 300 }), {
      default: '0',
      help: 'how long the service still serves requests after SIGTERM, while `/readyz` is 503. Behind a load balancer: a little longer than the balancer takes to notice that',
    }),
    LOG_LEVEL: setting(z.enum(['debug', 'info', 'warn', 'error', 'silent']), {
      default: 'info',
      help: '`debug`, `info`, `warn`, `error` or `silent`. The log is JSON lines on standard output. Successful reads are logged only at `debug`',
    }),
    INSTANCE: setting(z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 visible characters'), {
      unset: 'the host name and the process id',
      help: 'the name of this process in every line of the log, and in traces',
    }),
    DATA_DIR: setting(z.string(), {
      default: './data',
      help: 'folder for the database, stored objects and secrets, relative to the working directory',
    }),
    DATABASE_URL: setting(postgresUrl, {
      unset: 'none: embedded',
      help: 'an external PostgreSQL, 15 or later, with ICU: `postgresql://…`. With several hosts (`postgresql://user@one:5432,two:5432/name`), connections go to the one that takes writes, and to another as soon as that takes over',
    }),
    DATABASE_DIRECT_URL: setting(postgresUrl, {
      unset: '`DATABASE_URL`',
      help: 'PostgreSQL itself, if `DATABASE_URL` is a pooler in transaction mode such as pgbouncer: for locks, notifications, searches, rate limits and migrations. Without it, the service does not start behind a pooler in transaction mode',
    }),
    DATABASE_REPLICA_URL: setting(postgresUrl, {
      unset: 'none',
      help: 'a hot standby of the database. Lists, searches, pages and feeds for clients that are not signed in are read from it, so they may be `REPLICA_LAG_SECONDS` old',
    }),
    REPLICA_LAG_SECONDS: setting(wholeNumber('must be a number from 1 to 60', { min: 1, max: 60 }), {
      default: '5',
      help: 'how many seconds the replica may be behind. Beyond that, or if it is away, the primary answers',
    }),
    DATABASE_CONNECTIONS: setting(connections, {
      default: '20',
      help: 'the most connections of this process for requests and jobs. A process opens up to `SEARCH_CONNECTIONS` and seven more. If PostgreSQL does not allow as many, the service does not start; if it does not for all processes together, the log warns',
    }),
    SEARCH_CONNECTIONS: setting(connections, {
      default: '4',
      help: 'the most connections of this process for searches',
    }),
    JOBS_AT_ONCE: setting(jobsAtOnce, {
      unset: '`codes=2,notifications=2,deliveries=4,webhooks=4,uploads=4,spare=2`',
      help: 'how many jobs of a share run at the same time in this process, or of one name: `webhooks=8,move-nano-address=16`. Two more places are for what must not wait, such as payouts',
    }),
    REDIS_URL: setting(redisUrl, {
      unset: 'none',
      help: 'counts rate limits in Redis or Valkey. Without it, a single process counts in memory and several count in the database',
    }),
    SMTP_URL: setting(urlLike('smtps://user:password@mail.example.com:465', /^smtps?$/), {
      unset: 'none: email is captured',
      help: 'outgoing mail server: `smtp://…` or `smtps://…`. Needs `MAIL_FROM`',
      production: 'required',
    }),
    MAIL_FROM: setting(sender, {
      unset: '`Pennypost <pennypost@localhost>`',
      help: 'the sender of emails',
      production: 'required',
    }),
    MAIL_REPLY_TO: setting(z.string().regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address'), {
      unset: '`MAIL_FROM`',
      help: 'where replies to emails go, such as the address of your support',
    }),
    DKIM_SELECTOR: setting(
      z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/, 'must be a DKIM selector'),
      {
        unset: 'none: emails are not signed',
        help: 'signs emails with DKIM: the public key is in the DNS at `SELECTOR._domainkey.DOMAIN`. Needs `DKIM_KEY_FILE`. Leave it out if your mail provider signs',
      },
    ),
    DKIM_KEY_FILE: setting(z.string(), {
      unset: 'none',
      help: 'the private key for DKIM: a PEM file with an RSA key of at least 1024 bits',
    }),
    DKIM_DOMAIN: setting(z.string().regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'must be a domain'), {
      unset: 'the domain of `MAIL_FROM`',
      help: 'the domain that signs',
    }),
    PUSH_ALLOW_PRIVATE: setting(onOrOff, {
      default: '0',
      help: 'development only: `1` allows a push service on this machine',
      production: 'refused',
    }),
    FAULT_POINT: setting(z.string(), {
      unset: 'none',
      help: 'development only: the point at which a test makes the process die',
      production: 'refused',
    }),
  },
  (values, isProduction) => {
    if (values.SMTP_URL && !values.MAIL_FROM) throw new StartError('MAIL_FROM: is required with SMTP_URL')
    if ((values.DKIM_SELECTOR === undefined) !== (values.DKIM_KEY_FILE === undefined))
      throw new StartError('DKIM_SELECTOR, DKIM_KEY_FILE: set both or neither')
    if (values.DKIM_DOMAIN && !values.DKIM_SELECTOR) throw new StartError('DKIM_DOMAIN: needs DKIM_SELECTOR')
    const mailFrom = values.MAIL_FROM ?? 'Pennypost <pennypost@localhost>'
    if (values.ROLE !== 'all' && !values.DATABASE_URL)
      throw new StartError(`ROLE: ${values.ROLE} needs a DATABASE_URL that all processes share`)
    if (values.DATABASE_DIRECT_URL && !values.DATABASE_URL)
      throw new StartError('DATABASE_DIRECT_URL: needs a DATABASE_URL')
    return {
      environment: isProduction ? ('production' as const) : ('development' as const),
      role: values.ROLE,
      drainSeconds: values.DRAIN_SECONDS,
      logLevel: values.LOG_LEVEL,
      instance: values.INSTANCE ?? `${hostname()}-${process.pid}`,
      dataDir: resolve(values.DATA_DIR),
      databaseUrl: values.DATABASE_URL,
      databaseDirectUrl: values.DATABASE_DIRECT_URL,
      databaseReplicaUrl: values.DATABASE_REPLICA_URL,
      replicaLagSeconds: values.REPLICA_LAG_SECONDS,
      databaseConnections: values.DATABASE_CONNECTIONS,
      searchConnections: values.SEARCH_CONNECTIONS,
      jobsAtOnce: values.JOBS_AT_ONCE ?? new Map<string, number>(),
      redisUrl: values.REDIS_URL,
      smtpUrl: values.SMTP_URL,
      mailFrom,
      mailReplyTo: values.MAIL_REPLY_TO,
      dkim:
        values.DKIM_SELECTOR && values.DKIM_KEY_FILE
          ? {
              selector: values.DKIM_SELECTOR,
              keyFile: resolve(values.DKIM_KEY_FILE),
              domain: values.DKIM_DOMAIN ?? senderAddress(mailFrom).split('@')[1]!,
            }
          : undefined,
      pushAllowsPrivate: values.PUSH_ALLOW_PRIVATE,
      faultPoint: values.FAULT_POINT,
    }
  },
)

export type ProcessConfig = ConfigOf<typeof platformSettings>

import type { Config } from '../../config.ts'
import { clamav } from '../../uploads/screening/clamav.ts'
import { pictureListReader } from '../../uploads/screening/picture-list.ts'
import { type Check, hostOf } from './check.ts'

/** Connects, greets and signs in. Sends nothing. */
export const checkMail = ({ smtpUrl, mailFrom }: Config): Check => ({
  area: 'mail',
  timeoutMs: 15_000,
  advice: 'Check SMTP_URL, and whether this machine may reach the mail server.',
  async run(report, signal) {
    if (!smtpUrl) return report.skip('SMTP_URL is not set: emails are captured, not sent')
    const { smtpMailer } = await import('../../platform/mail/smtp-mailer.ts')
    const mailer = smtpMailer(smtpUrl, mailFrom)
    signal.addEventListener('abort', () => mailer.close())
    await mailer.verify()
    mailer.close()
    report.ok(`${hostOf(smtpUrl)} accepts our login`)
  },
})

export const checkRedis = ({ redisUrl }: Config): Check => ({
  area: 'redis',
  timeoutMs: 6_000,
  advice: 'Check REDIS_URL. Until then rate limits are counted in the database.',
  async run(report, signal) {
    if (!redisUrl) return report.skip('REDIS_URL is not set')
    const { createClient } = await import('redis')
    const client = createClient({ url: redisUrl, socket: { connectTimeout: 4_000, reconnectStrategy: false } })
    client.on('error', () => {})
    signal.addEventListener('abort', () => client.destroy())
    await client.connect()
    await client.ping()
    client.destroy()
    report.ok(`${hostOf(redisUrl)} responds`)
  },
})

export const checkScreening = ({ clamavUrl }: Config): Check => ({
  area: 'clamav',
  timeoutMs: 5_000,
  advice: 'Check CLAMAV_URL and clamd. Until then uploads wait.',
  async run(report) {
    if (!clamavUrl) return report.skip('CLAMAV_URL is not set: uploads are not scanned for malware')
    await clamav(clamavUrl).verify()
    report.ok(`${hostOf(clamavUrl)} responds`)
  },
})

/** Reads it as the decoders do. Nothing can be cleared with a list that cannot be read. */
export const checkPictureList = ({ pictureListPath }: Config): Check => ({
  area: 'picture list',
  timeoutMs: 10_000,
  advice: 'Check PDQ_LIST: a file with one hash on each line. Until then uploads wait.',
  async run(report) {
    if (!pictureListPath) return report.skip('PDQ_LIST is not set: pictures are not compared with known ones')
    await pictureListReader()(pictureListPath)
    report.ok(`${pictureListPath} can be read`)
  },
})
